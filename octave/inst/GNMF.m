function [U_final, V_final, nIter_final, objhistory_final] = GNMF (X, k, W, options, U, V)
% GNMF  Graph regularised NMF, called as Deng Cai's function of this name is.
%
%   [U, V, nIter, objhistory] = GNMF (X, k, W, options)
%   [U, V, nIter, objhistory] = GNMF (X, k, W, options, U0, V0)
%
% X is features x samples: X is about U * V'. W is the graph of the samples, symmetric and sparse
% (constructW, orthant.graph). The columns of U have length 1. Options, a struct:
%
%   alpha        weight of the graph, 100 unless given; 0 is NMF
%   alpha_nSmp   true: alpha times the number of samples
%   error        tolerance, 1e-5 unless given
%   maxIter      iterations; [] (unless given): until the objective's fall is below the tolerance
%   nRepeat      random starts, 10 unless given; the best one is gone on with
%   minIter      iterations of each start, 30 unless given
%   weight       'NCW': samples weighted as in the normalised cut
%   seed         of the starts (not in Cai's function), 1 unless given
%
% Of Cai's function differ: starts are drawn by the seed and not by rand, the basis is updated first,
% and the tolerance bounds the objective's relative fall, averaged over ten iterations. NormW and
% Optimization other than 'Multiplicative' are refused. The method 'gnmf' does the work.
%
% D. Cai, X. He, J. Han, T. S. Huang, Graph regularized nonnegative matrix factorization for data
% representation, TPAMI 2011.
%
% See also: NMF, constructW, orthant.gnmf

  if nargin < 4
    options = struct ();
  end
  if nargin < 6
    U = [];
    V = [];
  end
  if isfield (options, 'NormW') && options.NormW
    error ('orthant:argument', 'GNMF: options.NormW (the normalised Laplacian) is not there');
  end
  if isfield (options, 'Optimization') && ~strcmpi (options.Optimization, 'Multiplicative')
    error ('orthant:argument', 'GNMF: options.Optimization: expected ''Multiplicative'', found ''%s''', ...
           options.Optimization);
  end
  alpha = 100;
  if isfield (options, 'alpha')
    alpha = options.alpha;
  end
  if isfield (options, 'alpha_nSmp') && options.alpha_nSmp
    alpha = alpha * size (X, 2);
  end
  if isfield (options, 'weight') && strcmpi (options.weight, 'NCW')
    X = X * spdiags ((X' * full (sum (X, 2))) .^ -.5, 0, size (X, 2), size (X, 2));
  end
  method = 'nmf';
  more = struct ('solver', 'mu');
  if alpha > 0
    method = 'gnmf';
    more.graph = W;
    more.graph_weight = alpha;
  end
  [U_final, V_final, nIter_final, objhistory_final] = ...
    orthant_repeat (method, {'basis', 'encoding'}, X, k, options, more, U, V);
  [U_final, V_final] = orthant_unit_columns (U_final, V_final);
end
