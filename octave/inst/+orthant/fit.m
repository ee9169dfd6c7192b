function [fit, labels] = fit (X, method, k, varargin)
% orthant.fit  Factors of nonnegative data.
%
%   fit = orthant.fit (X, METHOD, K)
%   fit = orthant.fit (X, METHOD, K, NAME, VALUE, ...)
%   fit = orthant.fit (X, METHOD, K, OPTIONS)
%   [fit, labels] = orthant.fit (...)
%
% X has a sample in each row: full or sparse, single or double, whose precision the factors have.
% METHOD is a name of orthant.methods, as in 'gnmf'. K is the number of parts; of 'auto', or several
% (2:8, '5:60:5'), the one that orthant.ranks recommends by ten repeats (fit.rank, fit.rank_reasons). Options are pairs of
% names and values, or a struct of them: every parameter of the method (orthant.methods (METHOD)
% lists them) and
%
%   graph        sparse or full matrix, symmetric: the graph of the samples; built where none is given
%   labels       a number for each sample, NaN (or -1) where it is not known
%   similarity   n x n matrix for methods on similarities, in place of the one of the samples
%   pooling      units x K matrix, or a text: 'all', 'grid', 'grid:5x8'
%   start        struct of starting factors, as in struct ('basis', W, 'encoding', S)
%   starts       fits from so many starts and keeps the one with the lowest objective (start_objectives)
%   fixed_parts  features x at most K matrix: the first parts, which the fit does not change
%   mask         weights of the entries, as large as X, full or sparse: 0 is not known, 1 counts
%   sample_weights, feature_weights   vectors: the same of whole samples and features
%   missing      'nan': NaN in X is not known; 'zeros': nor is what a sparse X does not store
%   batch        fits by batches of so many samples, an iteration being a pass over all ('nmf', 'nmf-kl'); with
%                'forget', 'fresh', 'batch_order'. Data that come in pieces: orthant.partial
%   loss         'frobenius', 'kl', 'is', 'beta:0.5', 'huber:0.1', 'l1': another loss than the method's
%   terms        struct of terms to add and their weights, as in struct ('graph', 10)
%   scale        'none', 'unit' (samples of length 1), 'max', 'tfidf', by the entries that are known; a number is
%                the method's parameter
%                of this name
%   transpose    true: X has a sample in each column; saves a copy of X
%   precision    'single' or 'double': converts X; with a device also 'tf32', single with products that round
%   device       where the iterations run: 'cpu' unless given, 'cuda' or 'cuda:1'
%   threads      0: every processor; changes no result
%   memory       the most bytes for data and results
%   verbose      true: shows progress and notes
%   labels_rule  how labels come from the factors: 'argmax:encoding', 'kmeans:encoding', ...
%   clusters     of the labels, K unless given
%   restarts     of k-means for the labels, 10 unless given
%
% The result is a struct: the factors by name (most methods: basis, features x K, and encoding,
% samples x K, so that X is about encoding * basis'), iterations, converged, stopped, objective,
% relative_error (|X - S*W| / |X|), explained_variance (1 less its square; NaN where not told; both
% of the known entries, by their weights), missing (how many entries are not),
% history (objective and its parts for each iteration from 0), projected_gradient, seconds,
% dead_columns, rank_reasons, start_objectives, notes, parameters (the values in force), labels_rule, labels_scale (what
% columns of the encoding are multiplied by before labels are taken from it, or []), scale, scale_statistics.
% Labels are numbered from 1.
%
% Ctrl-C stops after the iteration.
%
% Example:
%   X = rand (100, 20);
%   fit = orthant.fit (X, 'gnmf', 3, 'graph_weight', 10, 'neighbours', 7);
%
% See also: orthant.cluster, orthant.transform, orthant.methods

  if nargin < 3
    error ('orthant:argument', 'orthant.fit: expected X, a method and the number of parts');
  end
  if nargout > 1
    [fit, labels] = orthant_call ('fit', {X, method, k}, varargin);
  else
    fit = orthant_call ('fit', {X, method, k}, varargin);
  end
end
