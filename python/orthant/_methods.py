"""The estimators, one for each method. Made by scripts/generate-python from the table of methods."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._base import CentreClusterer, Clusterer, Combination, Embedding, Transformer
from ._online import Online


class NMF(Online):
    r"""Nonnegative matrix factorisation.

    ::

        Objective   |X - W S'|^2, W and S nonnegative
        Updates     W <- W .* (X S) ./ (W S'S);  S <- S .* (X'W) ./ (S W'W)
        Cost        4 n m k operations per iteration, one pass over X
        Use it      as the plain reference, and for parts of images and topics of texts

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    batch : int, default=0
        samples of a batch: the basis is updated after each, and an iteration is a pass over all; 0: all samples at once
    forget : float, default=0.7
        with batches: what a pass leaves of the sums of the one before; 1: all
    fresh : int, default=0
        with batches: so many updates of a batch's codes from one number for all; 0: one update of what the last pass
        left
    batch_order : str, default='given'
        given, random: of the batches in a pass: as the samples are, or drawn for each pass
    alpha_W : float, default=0.0
        scikit-learn's penalty on the codes, times the number of features
    alpha_H : float or str, default='same'
        the same on the basis, times the number of samples; same: alpha_W
    l1_ratio : float, default=0.0
        the share of the sum of entries in both, the rest being half the sum of squares
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    beta_loss : str or float, default='frobenius'
        the loss: frobenius, kl, is, beta:B (B from -1 to 3), huber:D, l1, euclidean-entrywise; or as scikit-learn's
        beta_loss: kullback-leibler, itakura-saito or the number B. All but the first two take the solvers mu and emu
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    D. D. Lee, H. S. Seung, Algorithms for non-negative matrix factorization, NIPS 2000

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.NMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nmf'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, missing: str = 'none', final_encodings: str = 'auto',
                 batch: int = 0, forget: float = 0.7, fresh: int = 0, batch_order: str = 'given',
                 alpha_W: float = 0.0, alpha_H: Any = 'same', l1_ratio: float = 0.0, init: str = 'random',
                 beta_loss: Any = 'frobenius', solver: str = 'auto', normalise: str = 'none', max_iter: int = 500,
                 tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.missing = missing
        self.final_encodings = final_encodings
        self.batch = batch
        self.forget = forget
        self.fresh = fresh
        self.batch_order = batch_order
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.init = init
        self.beta_loss = beta_loss
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class KLNMF(Online):
    r"""NMF with the Kullback-Leibler divergence.

    ::

        Objective   sum x log(x / y) - x + y, y = W S'
        Updates     W <- W .* (R S) ./ (1 sum(S));  S <- S .* (R'W) ./ (1 sum(W)),  R = X ./ (W S')
        Cost        8 n m k operations and 2 n m divisions per iteration; of a sparse X only the stored entries count
        Use it      for counts: words, photons, events

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    batch : int, default=0
        samples of a batch: the basis is updated after each, and an iteration is a pass over all; 0: all samples at once
    forget : float, default=0.7
        with batches: what a pass leaves of the sums of the one before; 1: all
    fresh : int, default=0
        with batches: so many updates of a batch's codes from one number for all; 0: one update of what the last pass
        left
    batch_order : str, default='given'
        given, random: of the batches in a pass: as the samples are, or drawn for each pass
    alpha_W : float, default=0.0
        scikit-learn's penalty on the codes, times the number of features
    alpha_H : float or str, default='same'
        the same on the basis, times the number of samples; same: alpha_W
    l1_ratio : float, default=0.0
        the share of the sum of entries in both, the rest being half the sum of squares
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the root of twice the divergence

    References
    ----------
    D. D. Lee, H. S. Seung, Algorithms for non-negative matrix factorization, NIPS 2000

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.KLNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nmf-kl'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'kl'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, missing: str = 'none', final_encodings: str = 'auto',
                 batch: int = 0, forget: float = 0.7, fresh: int = 0, batch_order: str = 'given',
                 alpha_W: float = 0.0, alpha_H: Any = 'same', l1_ratio: float = 0.0, init: str = 'random',
                 solver: str = 'auto', normalise: str = 'none', max_iter: int = 500, tol: float = 1e-05,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.missing = missing
        self.final_encodings = final_encodings
        self.batch = batch
        self.forget = forget
        self.fresh = fresh
        self.batch_order = batch_order
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class TNMF(Transformer):
    r"""Topographic NMF.

    ::

        Objective   |X - W S'|^2 + lambda sum_j sum_l sqrt(eps + sum_k h_lk s_jk^2)                  (15)
        Updates     W as nmf (12);  S <- S .* (X'W) ./ (S W'W + lambda P),                           (13)
                    p_jk = (1/2) s_jk sum_l h_lk / sqrt(eps + sum_q h_lq s_jq^2)                      (21)
        Cost        that of nmf and 4 n k^2
        Use it      to order the parts: with pooling=grid neighbours on a torus are active together.
                    With pooling=all (the paper's) the term is blind to rotations and only favours sparse samples.
                    The penalty acts on S alone, so the scale drifts to W: results depend on the iterations

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    pooling_weight : float, default=10.0
        weight of the pooled lengths of the encodings
    epsilon : float, default=1e-06
        added under the root; must be positive
    pooling : str or array, default='all'
        units: all, grid, grid:ROWSxCOLUMNS (a torus), or a matrix (units, n_components)
    pooling_radius : int, default=1
        radius of a grid's neighbourhood; 1 is 3 x 3
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    Topographic NMF for data representation (TNMF), eqs. 12, 13, 15, 21

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.TNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'tnmf'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, pooling_weight: float = 10.0, epsilon: float = 1e-06,
                 pooling: Any = 'all', pooling_radius: int = 1, missing: str = 'none',
                 final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto', normalise: str = 'none',
                 max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 tf32: bool = False, verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.pooling_weight = pooling_weight
        self.epsilon = epsilon
        self.pooling = pooling
        self.pooling_radius = pooling_radius
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class TNMFPlus(Transformer):
    r"""Topographic NMF with a penalty that cannot drift.

    ::

        Objective   |X - W S'|^2 + lambda sum_j sum_l sqrt(eps + sum_k h_lk |w_k|^2 s_jk^2). No scale can drift;
                    equally: that of tnmf over bases of unit columns
        Updates     W <- W .* (X S) ./ (W S'S + W diag(q)), q_k = lambda sum_j s_jk p_jk, then unit columns, S takes
                    the scale;  S as tnmf, with its p_jk
        Cost        that of nmf and 8 n k^2
        Use it      to order the parts on a grid by a weight that means the same from every start and after any number
                    of iterations. It makes a map, not better clusters: large weights cost accuracy

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    pooling_weight : float, default=0.03
        weight of the pooled lengths of the encodings
    epsilon : float, default=1e-06
        added under the root; must be positive
    pooling : str or array, default='grid'
        units: all, grid, grid:ROWSxCOLUMNS (a torus), or a matrix (units, n_components)
    pooling_radius : int, default=1
        radius of a grid's neighbourhood; 1 is 3 x 3
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='basis'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans-unit:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    TNMF's objective over bases of unit columns; the step of the basis: docs/engine.md

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.TNMFPlus(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'tnmf+'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, pooling_weight: float = 0.03, epsilon: float = 1e-06,
                 pooling: Any = 'grid', pooling_radius: int = 1, missing: str = 'none',
                 final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto',
                 normalise: str = 'basis', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.pooling_weight = pooling_weight
        self.epsilon = epsilon
        self.pooling = pooling
        self.pooling_radius = pooling_radius
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class CDNMF(Transformer):
    r"""Class-driven NMF (Frobenius).

    ::

        Objective   |X - W S'|^2 + lambda sum_jk d_jk s_jk; d = 1 outside the columns of a labelled sample's class
        Updates     W as nmf;  S <- S .* (X'W) ./ (S W'W + (lambda / 2) D)                           (14)
        Cost        that of nmf
        Use it      when a part of the samples has labels, at least two per class

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; at least basis_per_class for each class; 'auto', or several
        (range(2, 9), '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    class_weight : float, default=1.0
        weight of encodings outside a labelled sample's class
    basis_per_class : int, default=1
        columns of the basis for each class: rank = this times the classes
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    Class-driven NMF for image representation (cdNMF), eq. 14

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.CDNMF(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cdnmf'
    _needs = ('labels',)
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, class_weight: float = 1.0, basis_per_class: int = 1,
                 missing: str = 'none', final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto',
                 normalise: str = 'none', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.class_weight = class_weight
        self.basis_per_class = basis_per_class
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class CDNMFPlus(Transformer):
    r"""Class-driven NMF (Frobenius) with a penalty that cannot drift.

    ::

        Objective   |X - W S'|^2 + lambda sum_jk d_jk |w_k| s_jk; d as in cdnmf. No scale can drift;
                    equally: that of cdnmf over bases of unit columns
        Updates     W <- W .* (X S) ./ (W S'S + W diag(q)), q_k = (lambda / 2) sum_j d_jk s_jk, then unit columns,
                    S takes the scale;  S as cdnmf
        Cost        that of cdnmf
        Use it      in place of cdnmf: the weight means the same from every start and after any number of iterations.
                    With samples of unit length a weight of 2 leaves labelled samples the columns of their class alone

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; at least basis_per_class for each class; 'auto', or several
        (range(2, 9), '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    class_weight : float, default=2.0
        weight of encodings outside a labelled sample's class
    basis_per_class : int, default=1
        columns of the basis for each class: rank = this times the classes
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='basis'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans-unit:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    cdNMF's objective over bases of unit columns; the step of the basis: docs/engine.md

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.CDNMFPlus(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cdnmf+'
    _needs = ('labels',)
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, class_weight: float = 2.0, basis_per_class: int = 1,
                 missing: str = 'none', final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto',
                 normalise: str = 'basis', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.class_weight = class_weight
        self.basis_per_class = basis_per_class
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class CDNMFKL(Transformer):
    r"""Class-driven NMF (Kullback-Leibler).

    ::

        Objective   sum x log(x / y) - x + y + gamma sum_jk d_jk s_jk, the penalty counted once
        Updates     W as nmf-kl (26, 27);  S <- S .* (R'W) ./ (1 sum(W) + gamma D)                   (23)
        Cost        that of nmf-kl
        Use it      when a part of the samples has labels; on faces it is ahead of cdnmf

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; at least basis_per_class for each class; 'auto', or several
        (range(2, 9), '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    class_weight : float, default=10.0
        weight of encodings outside a labelled sample's class
    basis_per_class : int, default=1
        columns of the basis for each class: rank = this times the classes
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the root of twice the divergence

    References
    ----------
    Class-driven NMF for image representation (cdNMF), eqs. 21, 23, 26, 27

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.CDNMFKL(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cdnmf-kl'
    _needs = ('labels',)
    _factors = ('basis', 'encoding')
    _loss = 'kl'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, class_weight: float = 10.0, basis_per_class: int = 1,
                 missing: str = 'none', final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto',
                 normalise: str = 'none', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.class_weight = class_weight
        self.basis_per_class = basis_per_class
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class CDNMFKLPlus(Transformer):
    r"""Class-driven NMF (Kullback-Leibler) with a penalty that cannot drift.

    ::

        Objective   that of cdnmf-kl with |w_k| s_jk in place of s_jk in the penalty, so that no scale can drift;
                    equally: that of cdnmf-kl over bases of unit columns
        Updates     W <- W .* (R S) ./ (1 sum(S) + W diag(q)), q_k = gamma sum_j d_jk s_jk, then unit columns, S takes
                    the scale;  S as cdnmf-kl. An iteration that rises is repeated with its ratios to the power 1/2
        Cost        that of cdnmf-kl, and of its objective
        Use it      in place of cdnmf-kl: the weight means the same from every start and after any number of iterations

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; at least basis_per_class for each class; 'auto', or several
        (range(2, 9), '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    class_weight : float, default=30.0
        weight of encodings outside a labelled sample's class
    basis_per_class : int, default=1
        columns of the basis for each class: rank = this times the classes
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='basis'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans-unit:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the root of twice the divergence

    References
    ----------
    cdNMF's objective over bases of unit columns; the step of the basis: docs/engine.md

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.CDNMFKLPlus(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cdnmf-kl+'
    _needs = ('labels',)
    _factors = ('basis', 'encoding')
    _loss = 'kl'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, class_weight: float = 30.0, basis_per_class: int = 1,
                 missing: str = 'none', final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto',
                 normalise: str = 'basis', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.class_weight = class_weight
        self.basis_per_class = basis_per_class
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class NLCF(Transformer):
    r"""Nonnegative local coordinate factorisation.

    ::

        Objective   |X - W S'|^2 + mu sum_i sum_k s_ik |w_k - x_i|^2                                   (6)
        Updates     W <- W .* ((1 + mu) X S) ./ (W S'S + mu W diag(sum S))                             (7)
                    S <- S .* ((1 + mu) X'W) ./ (S W'W + (mu / 2)(c_i + d_k)), c = |x|^2, d = |w|^2    (8)
        Cost        that of nmf
        Use it      for sparse codes by near basis vectors, and more basis vectors than features.
                    It needs many iterations: codes go on getting sparser when the objective looks flat

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    local_weight : float, default=0.1
        weight mu of the local coordinate term
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    Nonnegative local coordinate factorization for image representation (NLCF), eqs. 6 to 8

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.NLCF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nlcf'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, local_weight: float = 0.1, missing: str = 'none',
                 final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto', normalise: str = 'none',
                 max_iter: int = 2000, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 tf32: bool = False, verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.local_weight = local_weight
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class NLCFPlus(Transformer):
    r"""Nonnegative local coordinate factorisation by continuation.

    ::

        Objective   that of nlcf
        Updates     those of nlcf, at weights that rise to local_weight: from a hundredth of it in 2 stages of 100
                    iterations, each from the factors of the one before
        Cost        that of nlcf, for the iterations of the stages too
        Use it      beside nlcf: it ends at a lower objective, with labels that are hardly better (docs/studies.md).
                    first_weight=100 begins near k-means: better on faces, worse on objects and digits

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    local_weight : float, default=0.1
        weight mu of the local coordinate term
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    first_weight : float, default=0.01
        weight of the first stage over that of the fit; between them it goes up or down by one factor
    stages : int, default=2
        fits at other weights before; 0: none
    stage_iterations : int, default=100
        iterations of each at most
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    NLCF's objective by continuation: docs/studies.md

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.NLCFPlus(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nlcf+'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, local_weight: float = 0.1, missing: str = 'none',
                 final_encodings: str = 'auto', first_weight: float = 0.01, stages: int = 2,
                 stage_iterations: int = 100, init: str = 'random', solver: str = 'auto', normalise: str = 'none',
                 max_iter: int = 2000, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.local_weight = local_weight
        self.missing = missing
        self.final_encodings = final_encodings
        self.first_weight = first_weight
        self.stages = stages
        self.stage_iterations = stage_iterations
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class NLCFG(Transformer):
    r"""Nonnegative local coordinate factorisation with a graph.

    ::

        Objective   that of nlcf + lambda tr(S'L S), L = E - A
        Updates     W as nlcf;
                    S <- S .* ((1 + mu) X'W + lambda A S) ./ (S W'W + (mu / 2)(c_i + d_k) + lambda E S)  (12)
        Cost        that of nlcf and 2 k for each edge
        Use it      as nlcf where near samples belong together; with samples of unit length a graph_weight of 0.01 to 0.1

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    local_weight : float, default=0.1
        weight mu of the local coordinate term
    graph_weight : float, default=0.1
        weight of the graph term; auto follows the data
    neighbours : int, default=5
        nearest neighbours of a sample, where no graph is given
    weights : str, default='binary'
        binary, heat, cosine: weights of the edges, where no graph is given
    heat_width : float, default=0.0
        width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    Nonnegative local coordinate factorization for image representation (NLCF), eq. 12

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.NLCFG(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nlcf-g'
    _needs = ('graph',)
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, local_weight: float = 0.1, graph_weight: float = 0.1,
                 neighbours: int = 5, weights: str = 'binary', heat_width: float = 0.0, search: str = 'auto',
                 missing: str = 'none', final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto',
                 normalise: str = 'none', max_iter: int = 2000, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.local_weight = local_weight
        self.graph_weight = graph_weight
        self.neighbours = neighbours
        self.weights = weights
        self.heat_width = heat_width
        self.search = search
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class GNMF(Transformer):
    r"""Graph regularised NMF.

    ::

        Objective   |X - W S'|^2 + lambda tr(S'L S), L = E - A
        Updates     W as nmf;  S <- S .* (X'W + lambda A S) ./ (S W'W + lambda E S)
        Cost        that of nmf and 2 k for each edge
        Use it      where near samples belong together; graph_weight=auto follows the scale of the data, the samples per part and the neighbours of a sample

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    graph_weight : float or "auto", default='auto'
        weight of the graph term; auto follows the data
    neighbours : int, default=5
        nearest neighbours of a sample, where no graph is given
    weights : str, default='binary'
        binary, heat, cosine: weights of the edges, where no graph is given
    heat_width : float, default=0.0
        width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    D. Cai, X. He, J. Han, T. S. Huang, Graph regularized nonnegative matrix factorization, TPAMI 2011

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.GNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'gnmf'
    _needs = ('graph',)
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, graph_weight: Any = 'auto', neighbours: int = 5,
                 weights: str = 'binary', heat_width: float = 0.0, search: str = 'auto', missing: str = 'none',
                 final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto', normalise: str = 'none',
                 max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 tf32: bool = False, verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.graph_weight = graph_weight
        self.neighbours = neighbours
        self.weights = weights
        self.heat_width = heat_width
        self.search = search
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class SGNMF(Transformer):
    r"""Graph regularised NMF with labels in the graph.

    ::

        Objective   that of gnmf; the graph has label_weight between samples of one known class, 0 between different
                    known classes, else the weight of the neighbour graph
        Updates     as gnmf
        Cost        as gnmf
        Use it      as gnmf when a part of the samples has labels

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; 'auto', or several (range(2, 9), '5:60:5'): what `ranks`
        recommends (rank_reasons_ says why)
    graph_weight : float or "auto", default='auto'
        weight of the graph term; auto follows the data
    neighbours : int, default=5
        nearest neighbours of a sample, where no graph is given
    weights : str, default='binary'
        binary, heat, cosine: weights of the edges, where no graph is given
    heat_width : float, default=0.0
        width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    label_weight : float, default=1.0
        weight of the edges between samples of one known class
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    semi-supervised GNMF, as compared with in cdNMF

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.SGNMF(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'sgnmf'
    _needs = ('graph', 'labels')
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, graph_weight: Any = 'auto', neighbours: int = 5,
                 weights: str = 'binary', heat_width: float = 0.0, search: str = 'auto', missing: str = 'none',
                 final_encodings: str = 'auto', label_weight: float = 1.0, init: str = 'random',
                 solver: str = 'auto', normalise: str = 'none', max_iter: int = 500, tol: float = 1e-05,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.graph_weight = graph_weight
        self.neighbours = neighbours
        self.weights = weights
        self.heat_width = heat_width
        self.search = search
        self.missing = missing
        self.final_encodings = final_encodings
        self.label_weight = label_weight
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class CNMF(Transformer):
    r"""Constrained NMF with hard labels (Frobenius).

    ::

        Objective   |X - U (A Z)'|^2; samples of one known class share a row of Z, the others have their own
        Updates     U <- U .* (X A Z) ./ (U Z'A'A Z);  Z <- Z .* (A'X'U) ./ (A'A Z U'U)
        Cost        that of nmf; the sum of each class's samples is kept
        Use it      when labels are certain: samples of one class get one encoding. At least two labels per class,
                    or it is plain nmf. The auxiliary factor holds Z: classes first, then the unlabelled samples

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; 'auto', or several (range(2, 9), '5:60:5'): what `ranks`
        recommends (rank_reasons_ says why)
    loss : str, default='frobenius'
        frobenius, kl: how the data and the product of the factors are compared
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    auxiliary_ : array
        the factor auxiliary
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    H. Liu, Z. Wu, X. Li, D. Cai, T. S. Huang, Constrained nonnegative matrix factorization, TPAMI 2012

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.CNMF(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cnmf'
    _needs = ('labels',)
    _factors = ('basis', 'auxiliary', 'encoding')
    _loss = ''
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, loss: str = 'frobenius', final_encodings: str = 'auto',
                 init: str = 'random', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.loss = loss
        self.final_encodings = final_encodings
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class CNMFKL(Transformer):
    r"""Constrained NMF with hard labels (Kullback-Leibler).

    ::

        Objective   sum x log(x / y) - x + y, y = U (A Z)'; samples of one known class share a row of Z, the others have their own
        Updates     U <- U .* (R A Z) ./ (1 sum(A Z));  Z <- Z .* (A'R'U) ./ (sum(A)' sum(U)),  R = X ./ (U (A Z)')
        Cost        that of nmf-kl; the sum of each class's samples is kept
        Use it      for counts, when labels are certain: samples of one class get one encoding.
                    At least two labels per class, or it is plain nmf-kl. The auxiliary factor holds Z: classes first, then the unlabelled samples

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; 'auto', or several (range(2, 9), '5:60:5'): what `ranks`
        recommends (rank_reasons_ says why)
    loss : str, default='kl'
        frobenius, kl: how the data and the product of the factors are compared
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    auxiliary_ : array
        the factor auxiliary
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    H. Liu, Z. Wu, X. Li, D. Cai, T. S. Huang, Constrained nonnegative matrix factorization, TPAMI 2012

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.CNMFKL(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cnmf-kl'
    _needs = ('labels',)
    _factors = ('basis', 'auxiliary', 'encoding')
    _loss = ''
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, loss: str = 'kl', final_encodings: str = 'auto',
                 init: str = 'random', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.loss = loss
        self.final_encodings = final_encodings
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class SSNMF(Transformer):
    r"""Semi-supervised NMF.

    ::

        Objective   |X - W S'|^2 + lambda sum of |y_i - B s_i|^2 over the labelled samples; W, S, B nonnegative,
                    y_i the indicator of the class, B classes x k
        Updates     W as nmf;  B <- B .* (Y S) ./ (B S'S) over the labelled samples;
                    s_i <- s_i .* (W'x_i + lambda B'y_i) ./ (W'W s_i + lambda B'B s_i), without lambda where the
                    class is not known
        Cost        that of nmf and 4 k^2 operations for each labelled sample
        Use it      when many samples have labels; the rank need not be the number of classes. Read label_weight against
                    the mean of |x_i|^2: from a tenth of it on labels count, so 1 suits samples of unit length. With few
                    labels a large weight fits their samples and no others

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: as many as y has classes; 'auto', or several (range(2, 9), '5:60:5'): what `ranks`
        recommends (rank_reasons_ says why)
    label_weight : float, default=1.0
        weight of the squared error of the known classes' indicators
    loss : str, default='frobenius'
        frobenius: how the data and the product of the factors are compared
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    label_basis_ : array
        the factor label_basis
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    H. Lee, J. Yoo, S. Choi, Semi-supervised nonnegative matrix factorization, IEEE Signal Processing Letters 2010

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> y = np.where(np.arange(30) < 10, np.arange(30) % 3, -1)
    >>> model = orthant.SSNMF(3, max_iter=20, tol=0, random_state=0).fit(X, y)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'ssnmf'
    _needs = ('labels',)
    _factors = ('basis', 'label_basis', 'encoding')
    _loss = ''
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, label_weight: float = 1.0, loss: str = 'frobenius',
                 final_encodings: str = 'auto', init: str = 'random', max_iter: int = 500, tol: float = 1e-05,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.label_weight = label_weight
        self.loss = loss
        self.final_encodings = final_encodings
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class NNSC(Transformer):
    r"""Nonnegative sparse coding.

    ::

        Objective   (1/2)|X - W S'|^2 + lambda sum S, columns of W of unit length
        Updates     W <- W - mu (W S'S - X S), negatives to 0, columns to unit length, mu halved until the objective
                    does not rise;  S <- S .* (X'W) ./ (S W'W + lambda)
        Cost        that of nmf and m k^2 for each trial of mu; on wide data two more products of X with S
        Use it      for sparse encodings whose scale cannot drift

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    sparsity_weight : float, default=0.1
        weight of the sum of the encodings
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    P. O. Hoyer, Non-negative sparse coding, NNSP 2002

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.NNSC(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nnsc'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, sparsity_weight: float = 0.1, missing: str = 'none',
                 final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto', normalise: str = 'none',
                 max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.sparsity_weight = sparsity_weight
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class ANP(Transformer):
    r"""A-optimal nonnegative projection.

    ::

        Objective   |X - W S'|^2 + mu tr((S'S + gamma I)^-1); after the paper; the weights' defaults are ours
        Updates     W as nmf;  S <- S .* (X'W + mu S M+) ./ (S W'W + mu S M-), M = (S'S + gamma I)^-2 = M+ - M-.
                    Nothing proves that this descends: the objective is watched, and an iteration that raised it
                    is repeated with its ratios to the power 1/2, 1/4, ... (the history's 'step')
        Cost        that of nmf, 2 n k^2 and an eigenvalue problem of k x k
        Use it      for encodings that spread over all columns. The term acts on S alone, so that S grows and
                    W shrinks: results depend on the iterations

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    optimality_weight : float, default=0.01
        weight of the A-optimality of the encodings
    gamma : float, default=0.01
        ridge added to the encodings' Gram matrix
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    after H. Liu, Z. Yang, Z. Wu, X. Li, A-optimal non-negative projection for image representation, CVPR 2012

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.ANP(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'anp'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, optimality_weight: float = 0.01, gamma: float = 0.01,
                 missing: str = 'none', final_encodings: str = 'auto', init: str = 'random', solver: str = 'auto',
                 normalise: str = 'none', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.optimality_weight = optimality_weight
        self.gamma = gamma
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class NMFSC(Transformer):
    r"""NMF with sparseness constraints.

    ::

        Objective   |X - W S'|^2; columns of S (a feature over all samples), of W, or both at a given sparseness,
                    columns of S at unit length
        Updates     S, then W: a constrained one by a projected gradient step, mu halved until the objective does
                    not rise; a free one by the multiplicative rule of nmf
        Cost        that of nmf, two passes over X, and 2 (n + m) k^2 for each trial of mu: no trial reads X.
                    step=adaptive saves most trials
        Use it      to set how sparse features are, not how much sparseness costs. It is a sample's encoding
                    that stays uncontrolled: see nlcf. The paper that compares with it names no sparseness; 0.4 is ours

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    encoding_sparseness : float, default=0.4
        of each feature over the samples, 0 to 1; negative: free
    basis_sparseness : float, default=-1.0
        of each column of the basis, 0 to 1; negative: free
    step : str, default='restart'
        restart, adaptive: trials start from 1, or from twice the last step: far fewer trials
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    P. O. Hoyer, Non-negative matrix factorization with sparseness constraints, JMLR 2004

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.NMFSC(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nmf-sc'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = ''
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, encoding_sparseness: float = 0.4,
                 basis_sparseness: float = -1.0, step: str = 'restart', init: str = 'random', max_iter: int = 500,
                 tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.encoding_sparseness = encoding_sparseness
        self.basis_sparseness = basis_sparseness
        self.step = step
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class SNMF(Embedding):
    r"""Symmetric NMF of a similarity.

    ::

        Objective   |K - A A'|^2, K the similarity of the samples (n x n), A the encoding
        Updates     rule=third: A <- A .* ((K A) ./ (A A'A))^(1/3), never rises;
                    rule=half: A <- A .* (1/2 + (1/2) (K A) ./ (A A'A)), may rise from a badly scaled start
        Cost        one product K A per iteration: 2 n^2 k, or 2 k for each stored entry of a sparse K
        Use it      to cluster by similarities alone: samples of mixed signs, or a similarity of your own
                    (similarity=given)

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    rule : str, default='third'
        third, half: third: exponent 1/3, never rises; half: the mean of A and the full step
    similarity : str, default='auto'
        auto, gaussian, knn:P: of the samples, where none is given: gaussian, of all pairs; knn:P, the same between P
        nearest neighbours alone, sparse; auto: knn:20 above 5,000 samples
    neighbours : int, default=0
        nearest neighbours whose similarity is kept, as knn:P says it; 0: all, a dense matrix
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    C. Ding, X. He, H. D. Simon, On the equivalence of nonnegative matrix factorization and spectral clustering, SDM
    2005

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.SNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'snmf'
    _needs = ()
    _factors = ('encoding',)
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, rule: str = 'third', similarity: str = 'auto',
                 neighbours: int = 0, scale: float = 1.0, search: str = 'auto', max_iter: int = 500,
                 tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.rule = rule
        self.similarity = similarity
        self.neighbours = neighbours
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class WNMF(Embedding):
    r"""Weighted symmetric NMF of a similarity.

    ::

        Objective   |K - A S A'|^2, K the similarity of the samples (n x n), A the encoding, S the core (k x k)
        Updates     A <- A .* (1/2 + (1/2) (K A S) ./ (A S A'A S));  S <- S .* (A'K A) ./ (A'A S A'A)
        Cost        one product K A per iteration: 2 n^2 k, or 2 k for each stored entry of a sparse K
        Use it      as snmf for similarities that are not positive semidefinite: the core takes up what is indefinite.
                    The core starts as the identity plus 0.05: from a random one it sits on a saddle

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    similarity : str, default='auto'
        auto, gaussian, knn:P: of the samples, where none is given: gaussian, of all pairs; knn:P, the same between P
        nearest neighbours alone, sparse; auto: knn:20 above 5,000 samples
    neighbours : int, default=0
        nearest neighbours whose similarity is kept, as knn:P says it; 0: all, a dense matrix
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    core_ : array
        the factor core
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    C. Ding, X. He, H. D. Simon, On the equivalence of nonnegative matrix factorization and spectral clustering, SDM
    2005

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.WNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'wnmf'
    _needs = ()
    _factors = ('encoding', 'core')
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, similarity: str = 'auto', neighbours: int = 0,
                 scale: float = 1.0, search: str = 'auto', max_iter: int = 500, tol: float = 1e-05,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.similarity = similarity
        self.neighbours = neighbours
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class RMND(Embedding):
    r"""Relationship matrix nonnegative decomposition.

    ::

        Objective   (1/2)|K - A A'M H|^2, K the similarity of the samples (n x n), A the relation with unit columns,
                    M the distribution with columns that sum to 1, H' the encoding
        Updates     H <- H .* (M'A A'K) ./ (M'A A'A A'M H);  M <- M .* (A A'K H') ./ (A A'A A'M H H')   (3.11)
                    A by projected gradient steps, the step halved until the objective falls               (3.12)
        Cost        two products of K with n x k per iteration, however many steps A takes
        Use it      where the similarity is too smooth for snmf; it needs many iterations, the more the larger k is.
                    start=random, step=paper and inner_steps=1 are the paper's letter; labels=best-of takes the
                    best of its four ways from factors to labels

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    start : str, default='snmf'
        snmf, random: snmf: 100 iterations of symmetric NMF; random sits on a saddle for long
    step : str, default='adaptive'
        adaptive, paper: first trial of mu: twice the last one taken, or always 1 as in the paper
    inner_steps : int, default=4
        steps of the relation per iteration
    labels : str, default='relation'
        relation, best-of: k-means on the relation, or the best of the paper's four ways
    similarity : str, default='auto'
        auto, gaussian, knn:P: of the samples, where none is given: gaussian, of all pairs; knn:P, the same between P
        nearest neighbours alone, sparse; auto: knn:20 above 5,000 samples
    neighbours : int, default=0
        nearest neighbours whose similarity is kept, as knn:P says it; 0: all, a dense matrix
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=3000
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans-unit:relation
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    relation_ : array
        the factor relation
    distribution_ : array
        the factor distribution
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    Relationship matrix nonnegative decomposition for clustering (RMND), eqs. 3.11, 3.12, 4.3, 4.4

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.RMND(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'rmnd'
    _needs = ()
    _factors = ('relation', 'distribution', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, start: str = 'snmf', step: str = 'adaptive',
                 inner_steps: int = 4, labels: str = 'relation', similarity: str = 'auto', neighbours: int = 0,
                 scale: float = 1.0, search: str = 'auto', max_iter: int = 3000, tol: float = 1e-05,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.start = start
        self.step = step
        self.inner_steps = inner_steps
        self.labels = labels
        self.similarity = similarity
        self.neighbours = neighbours
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class RMNDPlus(Embedding):
    r"""Relationship matrix nonnegative decomposition by a solver that reaches a minimum.

    ::

        Objective   that of rmnd: (1/2)|K - A A'M H|^2, columns of A of unit length, columns of M that sum to 1
        Updates     H by exact nonnegative least squares, M and A by accelerated projected gradients that begin anew
                    where the objective would rise
        Cost        two products of K with n x k per iteration, and 10 n k^2 operations for each inner step
        Use it      in place of rmnd: it ends at a lower objective in fewer iterations. Labels that several starts agree
                    on (labels_rule=consensus) need no truth to choose between its read-outs

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    start : str, default='snmf'
        snmf, random: snmf: 100 iterations of symmetric NMF; random sits on a saddle for long
    inner_steps : int, default=4
        steps of the distribution, and of the relation, per iteration
    similarity : str, default='auto'
        auto, gaussian, knn:P: of the samples, where none is given: gaussian, of all pairs; knn:P, the same between P
        nearest neighbours alone, sparse; auto: knn:20 above 5,000 samples
    neighbours : int, default=0
        nearest neighbours whose similarity is kept, as knn:P says it; 0: all, a dense matrix
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans-unit:relation
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    relation_ : array
        the factor relation
    distribution_ : array
        the factor distribution
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    RMND's objective; A. Beck, M. Teboulle, A fast iterative shrinkage-thresholding algorithm, SIAM J. Imaging Sciences
    2009

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.RMNDPlus(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'rmnd+'
    _needs = ()
    _factors = ('relation', 'distribution', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, start: str = 'snmf', inner_steps: int = 4,
                 similarity: str = 'auto', neighbours: int = 0, scale: float = 1.0, search: str = 'auto',
                 max_iter: int = 2000, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.start = start
        self.inner_steps = inner_steps
        self.similarity = similarity
        self.neighbours = neighbours
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class CF(Embedding):
    r"""Concept factorisation.

    ::

        Objective   |X - X W V'|^2: concepts X W are sums of samples, W and V nonnegative, n x k
        Updates     W <- W .* (K V) ./ (K W V'V);  V <- V .* (K W) ./ (V W'K W),  K = X'X; mixed signs, K = K+ - K-:
                    times (Q + sqrt(Q^2 + 4 P R)) ./ (2 P) with P = K+ W V'V, Q = K V, R = K- W V'V for W and
                    P = V W'K+W, Q = K W, R = V W'K-W for V
        Cost        8 n m k operations per iteration, two passes over X, K never formed; mixed signs: 2 n^2 m, or
                    4 n^2 k with K stored where n <= m; with a similarity in place of K 4 k for each of its entries
        Use it      where basis vectors should be sums of samples, on mixed signs, or on a kernel. It needs 1,000
                    iterations and more: random concepts all start near the mean, where the objective looks flat
                    (hence the small tolerance). Labels come from the encodings under concepts of unit length

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    similarity : str, default='none'
        none, gaussian, knn:P: work on the Gaussian similarity of the samples in place of X X'; knn:P: of P nearest
        neighbours alone, sparse
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-07
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    weights_ : array
        the factor weights
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    W. Xu, Y. Gong, Document clustering by concept factorization, SIGIR 2004

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.CF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cf'
    _needs = ()
    _factors = ('weights', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, similarity: str = 'none', scale: float = 1.0,
                 search: str = 'auto', max_iter: int = 2000, tol: float = 1e-07, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.similarity = similarity
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class ConvexNMF(Embedding):
    r"""Convex NMF.

    ::

        Objective   |X - X W G'|^2, W and G nonnegative, n x k
        Updates     G <- G .* sqrt((K+ W + G W'K- W) ./ (K- W + G W'K+ W));  K = X'X = K+ - K-
                    W <- W .* sqrt((K+ G + K- W G'G) ./ (K- G + K+ W G'G))
        Cost        that of cf; mixed signs: twice that of cf
        Use it      as cf; its smaller steps take more iterations

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    similarity : str, default='none'
        none, gaussian, knn:P: work on the Gaussian similarity of the samples in place of X X'; knn:P: of P nearest
        neighbours alone, sparse
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-07
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    weights_ : array
        the factor weights
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    C. Ding, T. Li, M. I. Jordan, Convex and semi-nonnegative matrix factorizations, TPAMI 2010

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.ConvexNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'convex-nmf'
    _needs = ()
    _factors = ('weights', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, similarity: str = 'none', scale: float = 1.0,
                 search: str = 'auto', max_iter: int = 2000, tol: float = 1e-07, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.similarity = similarity
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class SemiNMF(Transformer):
    r"""Semi-NMF.

    ::

        Objective   |X - W S'|^2, S nonnegative, W of either sign
        Updates     W <- X S (S'S)^-1
                    S <- S .* sqrt(((X'W)+ + S (W'W)-) ./ ((X'W)- + S (W'W)+)),  A = A+ - A-
        Cost        that of nmf and 4 n k^2
        Use it      for data of mixed signs: a k-means whose memberships are soft. init=kmeans starts as the paper does

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    init : str, default='uniform'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    References
    ----------
    C. Ding, T. Li, M. I. Jordan, Convex and semi-nonnegative matrix factorizations, TPAMI 2010

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.SemiNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'semi-nmf'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = 'frobenius'
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, missing: str = 'none', final_encodings: str = 'auto',
                 init: str = 'uniform', solver: str = 'auto', normalise: str = 'none', max_iter: int = 500,
                 tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.missing = missing
        self.final_encodings = final_encodings
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class KernelNMF(Embedding):
    r"""Convex NMF on a kernel.

    ::

        Objective   |Phi(X) - Phi(X) W G'|^2, W and G nonnegative, n x k; Phi by its products K alone
        Updates     those of convex-nmf with K, the similarity of the samples, in place of X'X
        Cost        4 n^2 k operations per iteration; with similarity=knn:P, 4 k for each neighbour
        Use it      for clusters that no straight line separates; a similarity can be given

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    similarity : str, default='gaussian'
        none, gaussian, knn:P: work on the Gaussian similarity of the samples in place of X X'; knn:P: of P nearest
        neighbours alone, sparse
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-07
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    weights_ : array
        the factor weights
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    C. Ding, T. Li, M. I. Jordan, Convex and semi-nonnegative matrix factorizations, TPAMI 2010

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.KernelNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'kernel-nmf'
    _needs = ()
    _factors = ('weights', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, similarity: str = 'gaussian', scale: float = 1.0,
                 search: str = 'auto', max_iter: int = 2000, tol: float = 1e-07, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, n_clusters: Optional[int] = None,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.similarity = similarity
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class ClusterNMF(Embedding):
    r"""Cluster-NMF.

    ::

        Objective   |X - X G G'|^2, G nonnegative, n x k
        Updates     G <- G .* [(2 K G) ./ (G G'K G + K G G'G)]^(1/4),  K = X'X
                    mixed signs, K = K+ - K-: [(2 K+G + G G'K-G + K-G G'G) ./ (2 K-G + G G'K+G + K+G G'G)]^(1/4)
                    exponent=1: the ratio itself, then G at its best scale; 1/4 where that would rise
        Cost        4 n m k operations per iteration, one pass over X; K never formed (mixed signs: 2 n^2 m, or 4 n^2 k
                    with K stored where n <= m)
        Use it      for clusters with centroids X G: G is nearly orthogonal, so a sample has one cluster. It is grpnmf
                    without a graph

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    exponent : float, default=0.25
        of the ratio; above 1/4 the scale is set after each step, and a step that raises the objective is taken again
        with 1/4: 1 is fastest
    similarity : str, default='none'
        none, gaussian, knn:P: work on the Gaussian similarity of the samples in place of X X'; knn:P: of P nearest
        neighbours alone, sparse
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-07
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    C. Ding, T. Li, M. I. Jordan, Convex and semi-nonnegative matrix factorizations, TPAMI 2010

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.ClusterNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'cluster-nmf'
    _needs = ()
    _factors = ('encoding',)
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, exponent: float = 0.25, similarity: str = 'none',
                 scale: float = 1.0, search: str = 'auto', max_iter: int = 2000, tol: float = 1e-07,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.exponent = exponent
        self.similarity = similarity
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class ONMF(Transformer):
    r"""Orthogonal NMF.

    ::

        Objective   |X - F G'|^2 with G'G = I wanted, F and G nonnegative
        Updates     G <- G .* sqrt((X'F) ./ (G G'X'F));  F <- F .* (X G) ./ (F G'G)
        Cost        4 n m k operations per iteration, one pass over X
        Use it      for encodings with about one entry a sample, the cluster. G'G = I is reached approximately (a note
                    says how far), and the objective may rise on the way

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    C. Ding, T. Li, W. Peng, H. Park, Orthogonal nonnegative matrix tri-factorizations for clustering, KDD 2006

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.ONMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'onmf'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = ''
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, max_iter: int = 500, tol: float = 1e-05,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class PNMF(Transformer):
    r"""Projective NMF.

    ::

        Objective   |X - W W'X|^2, W nonnegative; the encoding is the projection X'W
        Updates     rule=third    W <- W .* (2 A W ./ (W W'A W + A W W'W))^(1/3), A = X X'; monotone
                    rule=classic  W <- W .* (A W ./ (W W'A W + A W W'W)), then W / |W|_2 (GRPNMF, eq. 4); may rise
        Cost        4 n m k operations per iteration, one pass over X; A is never formed
        Use it      for sparse, nearly orthogonal parts, and encodings of new samples by a product alone

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    rule : str, default='third'
        third, classic: third: cube root of the ratio, monotone; classic: the ratio itself, W divided by its spectral
        norm
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-07
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    Z. Yuan, E. Oja, Projective nonnegative matrix factorization for image compression and feature extraction, SCIA
    2005; GRPNMF, eq. 4

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.PNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'pnmf'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = ''
    _mixed_signs = False
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, rule: str = 'third', max_iter: int = 2000, tol: float = 1e-07,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.rule = rule
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class GRPNMF(Embedding):
    r"""Graph regularised projective NMF.

    ::

        Objective   |X - X H H'|^2 + lambda tr(H'L H), L = E - A, H nonnegative, n x k                          (6)
        Updates     H <- H .* [(2 K H + lambda A H) ./ (H H'K H + K H H'H + lambda E H)]^(1/4),  K = X'X        (8)
                    mixed signs, K = K+ - K-: [(2 K+H + H H'K-H + K-H H'H + lambda A H) ./
                                               (2 K-H + H H'K+H + K+H H'H + lambda E H)]^(1/4)
                    exponent=1: the ratio itself, then H at its best scale; 1/4 where that would rise
        Cost        4 n m k operations and 4 k for each edge per iteration, one pass over X; K never formed (mixed signs:
                    2 n^2 m, or 4 n^2 k with K stored where n <= m)
        Use it      to segment pictures and point clouds: samples are regions, the graph joins neighbours.
                    A large graph_weight makes all labels one: read it against |X|^2, from 0.01 to 0.1 of it.
                    exponent=1 reaches in 200 iterations what 1/4 does not in 500

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    graph_weight : float, default=10.0
        lambda, to be read against |X|^2: the paper's 500 is for 14,459 nodes of three colours; 0: no graph
    neighbours : int, default=5
        nearest neighbours of a sample, where no graph is given
    weights : str, default='binary'
        binary, heat, cosine: weights of the edges, where no graph is given
    heat_width : float, default=0.0
        width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean squared distance
    exponent : float, default=0.25
        of the ratio; above 1/4 the scale is set after each step, and a step that raises the objective is taken again
        with 1/4: 1 is fastest
    similarity : str, default='none'
        none, gaussian, knn:P: work on the Gaussian similarity of the samples in place of X X'; knn:P: of P nearest
        neighbours alone, sparse
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-07
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    C. G. Bampis, P. Maragos, A. C. Bovik, Projective non-negative matrix factorization for unsupervised graph
    clustering (GRPNMF), ICIP 2016, eqs. 5 to 8

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.GRPNMF(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'grpnmf'
    _needs = ()
    _factors = ('encoding',)
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, graph_weight: float = 10.0, neighbours: int = 5,
                 weights: str = 'binary', heat_width: float = 0.0, exponent: float = 0.25, similarity: str = 'none',
                 scale: float = 1.0, search: str = 'auto', max_iter: int = 2000, tol: float = 1e-07,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.graph_weight = graph_weight
        self.neighbours = neighbours
        self.weights = weights
        self.heat_width = heat_width
        self.exponent = exponent
        self.similarity = similarity
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class GRPNMFPlus(Embedding):
    r"""Graph regularised projective NMF by continuation.

    ::

        Objective   that of grpnmf
        Updates     those of grpnmf, at weights that rise to graph_weight: from a thousandth of it in 3 stages of 500
                    iterations with stage_exponent, each from the encoding of the one before; then with exponent
        Cost        that of grpnmf, for the iterations of the stages too
        Use it      in place of grpnmf from random starts: the parts are found before the graph smooths them

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    graph_weight : float, default=10.0
        lambda, to be read against |X|^2: the paper's 500 is for 14,459 nodes of three colours; 0: no graph
    neighbours : int, default=5
        nearest neighbours of a sample, where no graph is given
    weights : str, default='binary'
        binary, heat, cosine: weights of the edges, where no graph is given
    heat_width : float, default=0.0
        width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean squared distance
    exponent : float, default=0.25
        of the ratio; above 1/4 the scale is set after each step, and a step that raises the objective is taken again
        with 1/4: 1 is fastest
    first_weight : float, default=0.001
        weight of the first stage over that of the fit; between them it goes up or down by one factor
    stages : int, default=3
        fits at other weights before; 0: none
    stage_iterations : int, default=500
        iterations of each at most
    stage_exponent : float, default=1.0
        exponent in the stages
    similarity : str, default='none'
        none, gaussian, knn:P: work on the Gaussian similarity of the samples in place of X X'; knn:P: of P nearest
        neighbours alone, sparse
    scale : float, default=1.0
        width of the similarity: t^2 is half of this times the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=2000
        iterations at most
    tol : float, default=1e-07
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    GRPNMF's objective by continuation: docs/studies.md

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.GRPNMFPlus(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'grpnmf+'
    _needs = ()
    _factors = ('encoding',)
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, graph_weight: float = 10.0, neighbours: int = 5,
                 weights: str = 'binary', heat_width: float = 0.0, exponent: float = 0.25,
                 first_weight: float = 0.001, stages: int = 3, stage_iterations: int = 500,
                 stage_exponent: float = 1.0, similarity: str = 'none', scale: float = 1.0, search: str = 'auto',
                 max_iter: int = 2000, tol: float = 1e-07, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.graph_weight = graph_weight
        self.neighbours = neighbours
        self.weights = weights
        self.heat_width = heat_width
        self.exponent = exponent
        self.first_weight = first_weight
        self.stages = stages
        self.stage_iterations = stage_iterations
        self.stage_exponent = stage_exponent
        self.similarity = similarity
        self.scale = scale
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class KMeans(CentreClusterer):
    r"""k-means.

    ::

        Objective   sum of squared distances to the nearest centre
        Updates     each sample to its nearest centre, each centre to the mean of its samples; an empty cluster takes the
                    farthest sample. The basis holds the centres, the encoding the memberships
        Cost        2 n m k operations per iteration
        Use it      as the plain reference

    Parameters
    ----------
    n_clusters : int, default=8
        number of clusters
    restarts : int, default=10
        k-means++ starts; the best is kept
    max_iter : int, default=300
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    S. P. Lloyd 1982; starts: D. Arthur, S. Vassilvitskii, k-means++, SODA 2007

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.KMeans(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'kmeans'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = False

    def __init__(self, n_clusters: int = 8, *, restarts: int = 10, max_iter: int = 300, tol: float = 1e-05,
                 time_limit: float = 0.0, random_state: Any = None, n_init: int = 1,
                 labels_rule: Optional[str] = None, labels_restarts: int = 10, n_jobs: Optional[int] = None,
                 device: Optional[str] = None, tf32: bool = False, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_clusters = n_clusters
        self.restarts = restarts
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


class SpectralClustering(Clusterer):
    r"""Spectral clustering (normalised cut).

    ::

        Objective   k - tr(V'E^-1/2 K E^-1/2 V), V'V = I: the relaxed normalised cut of the similarity K, E its degrees
        Updates     the k leading eigenvectors by Lanczos's method (small matrices: LAPACK); rows of V at unit length
                    (rows=degree: times E^-1/2). One vector of each connected part is known beforehand
        Cost        a product of K with a vector for each Lanczos step: 2 n^2, or 2 for each stored entry of a sparse K
        Use it      as the reference on similarities, and on neighbour graphs (similarity=graph, or a graph of your own) where
                    clusters are connected rather than round

    Parameters
    ----------
    n_clusters : int, default=8
        number of clusters
    rows : str, default='unit'
        unit, degree, none: how rows of eigenvectors are scaled
    similarity : str, default='auto'
        auto, gaussian, knn:P, graph: gaussian: of all pairs of samples; knn:P: the same between P nearest neighbours
        alone, sparse; graph: the weights of a graph; auto: gaussian, and knn:20 above 5,000 samples
    neighbours : int, default=0
        nearest neighbours of a sample; 0: all for the similarity, 5 for a graph
    scale : float, default=1.0
        similarity: t^2 is half of this times the mean squared distance
    weights : str, default='binary'
        binary, heat, cosine: graph: weights of the edges
    heat_width : float, default=0.0
        graph: width of heat weights; 0: the root of the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    eigen_tolerance : float, default=0.0
        of an eigenvalue, relative; 0: all digits, which equal eigenvalues need
    eigen_restarts : int, default=1000
        of Lanczos's method at most
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    eigenvalues_ : array
        the factor eigenvalues
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    J. Shi, J. Malik, Normalized cuts and image segmentation, TPAMI 2000; A. Y. Ng, M. I. Jordan, Y. Weiss, NIPS 2001

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.SpectralClustering(3, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'spectral'
    _needs = ()
    _factors = ('encoding', 'eigenvalues')
    _loss = ''
    _mixed_signs = True
    _shows_factors = False

    def __init__(self, n_clusters: int = 8, *, rows: str = 'unit', similarity: str = 'auto', neighbours: int = 0,
                 scale: float = 1.0, weights: str = 'binary', heat_width: float = 0.0, search: str = 'auto',
                 eigen_tolerance: float = 0.0, eigen_restarts: int = 1000, random_state: Any = None,
                 n_init: int = 1, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_clusters = n_clusters
        self.rows = rows
        self.similarity = similarity
        self.neighbours = neighbours
        self.scale = scale
        self.weights = weights
        self.heat_width = heat_width
        self.search = search
        self.eigen_tolerance = eigen_tolerance
        self.eigen_restarts = eigen_restarts
        self.random_state = random_state
        self.n_init = n_init
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class NSDR(Clusterer):
    r"""Nonnegative spectral clustering with discriminative regularisation.

    ::

        Objective   tr(F'M F) + (xi / 2)|F'F - I|^2, F >= 0 the indicators (n x k),
                    M = L_norm + alpha (C - Xc'(Xc Xc' + beta I)^-1 Xc), C centring, L_norm of the neighbour graph
        Updates     F <- F .* ((M- F + xi F) ./ (M+ F + xi F F'F))^(1/4), M = M+ - M-; from k-means on the last
                    eigenvectors of M
        Cost        n m^2 once; then, above 5,000 samples, 8 n m k operations per iteration, with memory for 2 n m numbers;
                    below, n^2 m once (n^3 where features are more than samples) and 4 n^2 k per iteration
        Use it      as a reference that clusters by a graph and by linear separability at once

    Parameters
    ----------
    n_clusters : int, default=8
        number of clusters
    start : str, default='spectral'
        spectral, random: spectral: k-means on the last eigenvectors of M; random ends in a random cut
    orthogonality_weight : float, default=1000.0
        weight xi of |F'F - I|^2
    discriminative_weight : float, default=1.0
        weight alpha of the linear fit
    ridge : float, default=1.0
        beta: how stiff the linear fit is
    split : str, default='auto'
        auto, entries, factors: entries: M is stored, n x n, and split by signs; factors: a sparse matrix and n x m
        factors, split by their signs, with the same minima; auto: factors above 5,000 samples of up to 4,096 features
    similarity : str, default='auto'
        auto, knn:P: knn:P: neighbours=P; auto: what neighbours says
    neighbours : int, default=5
        nearest neighbours of a sample, where no graph is given
    weights : str, default='heat'
        binary, heat, cosine: weights of the edges, where no graph is given
    heat_width : float, default=0.0
        width of heat weights; 0: the root of the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: argmax:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    after Y. Yang, H. T. Shen, F. Nie, R. Ji, X. Zhou, Nonnegative spectral clustering with discriminative
    regularization, AAAI 2011

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.NSDR(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'nsdr'
    _needs = ()
    _factors = ('encoding',)
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_clusters: int = 8, *, start: str = 'spectral', orthogonality_weight: float = 1000.0,
                 discriminative_weight: float = 1.0, ridge: float = 1.0, split: str = 'auto',
                 similarity: str = 'auto', neighbours: int = 5, weights: str = 'heat', heat_width: float = 0.0,
                 search: str = 'auto', max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0,
                 random_state: Any = None, n_init: int = 1, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_clusters = n_clusters
        self.start = start
        self.orthogonality_weight = orthogonality_weight
        self.discriminative_weight = discriminative_weight
        self.ridge = ridge
        self.split = split
        self.similarity = similarity
        self.neighbours = neighbours
        self.weights = weights
        self.heat_width = heat_width
        self.search = search
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class PCA(Embedding):
    r"""Principal component analysis.

    ::

        Objective   |X_c - X_c V V'|^2, X_c the samples less their mean, columns of V orthonormal
        Updates     none: the leading eigenvectors of X_c'X_c, by LAPACK where the smaller side of X is at most 2,000,
                    else by Lanczos's method. The basis holds V, each column with its entry of largest modulus
                    positive; the encoding the scores X_c V. X_c is never formed: sparse data stay sparse
        Cost        n m min(n, m) operations; or 4 n m for each of Lanczos's vectors, some 2 k + 20 a restart
        Use it      as the plain reference; basis and encoding have both signs

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    K. Pearson 1901; H. Hotelling 1933; as compared with in TNMF

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.PCA(3, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'pca'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = False

    def __init__(self, n_components: Any = None, *, random_state: Any = None, n_init: int = 1,
                 n_clusters: Optional[int] = None, labels_rule: Optional[str] = None, labels_restarts: int = 10,
                 n_jobs: Optional[int] = None, device: Optional[str] = None, verbose: int = 0,
                 callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class RICA(Embedding):
    r"""Reconstruction independent component analysis.

    ::

        Objective   |X - W W'X|^2 + lambda sum_j sum_l sqrt(eps + sum_k h_lk s_jk^2), S = X'W                  (23)
                    on whitened samples (whiten=no: on the samples as they are)
        Updates     L-BFGS with a memory of 10 and a Wolfe line search. The basis turns centred samples into the
                    encoding: it holds the whitening too
        Cost        4 n r k operations for each evaluation, about one per iteration; r components, or features
        Use it      as the paper's rival for tnmf: sparse encodings without signs' constraint

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; 'auto', or several (range(2, 9),
        '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    pooling_weight : float, default=0.1
        weight of the pooled lengths of the encodings
    epsilon : float, default=0.01
        added under the root; must be positive
    pooling : str or array, default='all'
        units: all, grid, grid:ROWSxCOLUMNS (a torus), or a matrix (units, n_components)
    pooling_radius : int, default=1
        radius of a grid's neighbourhood; 1 is 3 x 3
    whiten : str, default='yes'
        yes, no: centred principal components of unit variance first
    components : int, default=0
        principal components for whitening; 0: as many as the rank
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell

    References
    ----------
    Q. V. Le, A. Karpenko, J. Ngiam, A. Y. Ng, ICA with reconstruction cost, NIPS 2011; TNMF, eq. 23

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.RICA(3, max_iter=20, tol=0, random_state=0).fit(X)
    >>> model.encoding_.shape
    (30, 3)
    """

    _method = 'rica'
    _needs = ()
    _factors = ('basis', 'encoding')
    _loss = ''
    _mixed_signs = True
    _shows_factors = True

    def __init__(self, n_components: Any = None, *, pooling_weight: float = 0.1, epsilon: float = 0.01,
                 pooling: Any = 'all', pooling_radius: int = 1, whiten: str = 'yes', components: int = 0,
                 max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.pooling_weight = pooling_weight
        self.epsilon = epsilon
        self.pooling = pooling
        self.pooling_radius = pooling_radius
        self.whiten = whiten
        self.components = components
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose
        self.callback = callback


class Factorization(Combination, Online):
    r"""Any loss with any set of terms.

    ::

        topographic      encodings that are active together lie together
        class            labelled samples use the columns of their class
        local            samples are coded by basis vectors near them
        graph            neighbours in a graph get similar encodings
        sparsity         the sum of the encodings: few active parts a sample
        a-optimal        encodings are a good design for a regression on them
        sparsity-basis   the sum of the basis: few features a part
        ridge            the squares of the encodings: no large ones
        ridge-basis      the squares of the basis: no large entries
        smooth           samples that follow each other get similar encodings
        smooth-basis     features that follow each other are similar in every part
        orthogonal       columns of the encodings are orthogonal: one part a sample
        orthogonal-basis parts are orthogonal: no feature in two of them
        volume           the parts span a small volume: corners near the samples, as unmixing wants them

    Parameters
    ----------
    n_components : int or RandomState, default=None
        number of parts; None: 8, or the number of samples where that is smaller; at least basis_per_class for each
        class; 'auto', or several (range(2, 9), '5:60:5'): what `ranks` recommends (rank_reasons_ says why)
    loss : str or float, default='frobenius'
        frobenius, kl, is, beta:B (B from -1 to 3), huber:D, l1, euclidean-entrywise; or as scikit-learn's beta_loss:
        kullback-leibler, itakura-saito or the number B. All but the first two take the solvers mu and emu
    terms : dict, default=None
        the terms and their weights; 'class' takes labels: fit(X, y)
    missing : str, default='none'
        none, nan, zeros: entries that are not known and have no part in the fit: nan; zeros: what a sparse X does not
        store
    final_encodings : str, default='auto'
        auto, minimal, last: the fit ends with: minimal: the encodings that minimise the objective for the final basis,
        transform's where no label counts; last: those of the last iteration; auto: minimal where the tolerance is above
        0 and no term couples the samples
    batch : int, default=0
        samples of a batch: the basis is updated after each, and an iteration is a pass over all; 0: all samples at once
    forget : float, default=0.7
        with batches: what a pass leaves of the sums of the one before; 1: all
    fresh : int, default=0
        with batches: so many updates of a batch's codes from one number for all; 0: one update of what the last pass
        left
    batch_order : str, default='given'
        given, random: of the batches in a pass: as the samples are, or drawn for each pass
    epsilon : float, default=1e-06
        added under the root; must be positive
    pooling : str or array, default='all'
        units: all, grid, grid:ROWSxCOLUMNS (a torus), or a matrix (units, n_components)
    pooling_radius : int, default=1
        radius of a grid's neighbourhood; 1 is 3 x 3
    basis_per_class : int, default=1
        columns of the basis for each class: rank = this times the classes
    neighbours : int, default=5
        nearest neighbours of a sample, where no graph is given
    weights : str, default='binary'
        binary, heat, cosine: weights of the edges, where no graph is given
    heat_width : float, default=0.0
        width t of heat weights exp(-d^2/(2 t^2)); 0: the root of the mean squared distance
    search : str, default='auto'
        auto, exact, approximate: for neighbours, where no graph is given; auto: approximate above 50,000 samples of
        more than a few features
    gamma : float, default=0.01
        ridge added to the encodings' Gram matrix
    delta : float, default=0.1
        ridge added to the basis's Gram matrix
    alpha_W : float, default=0.0
        scikit-learn's penalty on the codes, times the number of features
    alpha_H : float or str, default='same'
        the same on the basis, times the number of samples; same: alpha_W
    l1_ratio : float, default=0.0
        the share of the sum of entries in both, the rest being half the sum of squares
    init : str, default='random'
        random, uniform, nndsvd, nndsvda, nndsvdar, kmeans: starting factors
    solver : str, default='auto'
        auto, mu, emu, hals, newton: mu: the papers' multiplicative updates; emu: the same, extrapolated; hals:
        coordinate descent (loss frobenius); newton: the same for the loss kl; auto: hals for plain nmf that is not
        started from given factors, else mu
    normalise : str, default='none'
        none, basis: basis: unit columns, the encodings take the scale, which penalties on them see
    max_iter : int, default=500
        iterations at most
    tol : float, default=1e-05
        stop when the objective's relative fall, averaged over 10 iterations, is below; 0: never
    time_limit : float, default=0.0
        stop after so many seconds; 0: no limit
    random_state : int or RandomState, default=None
        seed of every random choice: an int as it is, or one drawn from a RandomState; None: from NumPy's own
    n_init : int, default=1
        starts, with seeds that follow from random_state; the one with the lowest objective is kept, start_objectives_
        has all
    n_clusters : int, default=None
        clusters of labels_; None: n_components
    labels_rule : str, default=None
        how factors become labels_: kmeans, kmeans-scaled, kmeans-unit, argmax, each also with :FACTOR; consensus: what
        n_init starts agree on; None: kmeans:encoding
    labels_restarts : int, default=10
        starts of k-means for labels_, the best counts
    n_jobs : int, default=None
        threads; None or -1: every processor. Changes no result
    device : str, default=None
        where the iterations run: cuda, or cuda:N for that GPU; None: on the CPU
    tf32 : bool, default=False
        on a device, of float32 data: products may round their factors to TF32
    verbose : int, default=0
        1: a progress bar, where tqdm is there
    callback : callable, default=None
        called as it goes on with a dict of phase, done, total, seconds and objective; in the phase fit after each
        iteration, with factor, a function that gives a copy of a factor by its name (not of methods that have no
        iterations over factors); returns False to stop

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        the basis, a row for each part
    encoding_ : array of shape (n_samples, n_components)
        the codes of the samples that were fitted
    labels_ : array of shape (n_samples,)
        the clusters, found when they are first asked for
    n_iter_, objective_, converged_, history_, notes_
        how the fit went
    relative_error_, explained_variance_ : float
        |X - S W'| / |X|, and 1 less its square (evar), of the known entries by their weights; NaN where the
        method does not tell
    n_missing_ : int
        how many entries a mask or missing values left out
    reconstruction_err_ : float
        as scikit-learn's: the Frobenius norm of the difference

    Examples
    --------
    >>> import numpy as np, orthant
    >>> X = np.random.default_rng(0).random((30, 6))
    >>> model = orthant.Factorization(3, loss='kl', terms={'graph': 0.1, 'sparsity': 0.01}, tol=1e-3)
    >>> [term for term in model.fit(X).history_ if term in model.terms]
    ['graph', 'sparsity']
    """

    _method = 'nmf'
    _factors = ('basis', 'encoding')

    def __init__(self, n_components: Any = None, *, loss: Any = 'frobenius',
                 terms: Optional[dict[str, float]] = None, missing: str = 'none', final_encodings: str = 'auto',
                 batch: int = 0, forget: float = 0.7, fresh: int = 0, batch_order: str = 'given',
                 epsilon: float = 1e-06, pooling: Any = 'all', pooling_radius: int = 1, basis_per_class: int = 1,
                 neighbours: int = 5, weights: str = 'binary', heat_width: float = 0.0, search: str = 'auto',
                 gamma: float = 0.01, delta: float = 0.1, alpha_W: float = 0.0, alpha_H: Any = 'same',
                 l1_ratio: float = 0.0, init: str = 'random', solver: str = 'auto', normalise: str = 'none',
                 max_iter: int = 500, tol: float = 1e-05, time_limit: float = 0.0, random_state: Any = None,
                 n_init: int = 1, n_clusters: Optional[int] = None, labels_rule: Optional[str] = None,
                 labels_restarts: int = 10, n_jobs: Optional[int] = None, device: Optional[str] = None,
                 tf32: bool = False, verbose: int = 0, callback: Optional[Callable[[dict], Any]] = None) -> None:
        self.n_components = n_components
        self.loss = loss
        self.terms = terms
        self.missing = missing
        self.final_encodings = final_encodings
        self.batch = batch
        self.forget = forget
        self.fresh = fresh
        self.batch_order = batch_order
        self.epsilon = epsilon
        self.pooling = pooling
        self.pooling_radius = pooling_radius
        self.basis_per_class = basis_per_class
        self.neighbours = neighbours
        self.weights = weights
        self.heat_width = heat_width
        self.search = search
        self.gamma = gamma
        self.delta = delta
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.init = init
        self.solver = solver
        self.normalise = normalise
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_init = n_init
        self.n_clusters = n_clusters
        self.labels_rule = labels_rule
        self.labels_restarts = labels_restarts
        self.n_jobs = n_jobs
        self.device = device
        self.tf32 = tf32
        self.verbose = verbose
        self.callback = callback


__all__ = [
    "NMF", "KLNMF", "TNMF", "TNMFPlus", "CDNMF", "CDNMFPlus", "CDNMFKL", "CDNMFKLPlus", "NLCF", "NLCFPlus", "NLCFG",
    "GNMF", "SGNMF", "CNMF", "CNMFKL", "SSNMF", "NNSC", "ANP", "NMFSC", "SNMF", "WNMF", "RMND", "RMNDPlus", "CF",
    "ConvexNMF", "SemiNMF", "KernelNMF", "ClusterNMF", "ONMF", "PNMF", "GRPNMF", "GRPNMFPlus", "KMeans",
    "SpectralClustering", "NSDR", "PCA", "RICA", "Factorization"
]
