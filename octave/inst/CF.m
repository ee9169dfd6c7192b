function [U_final, V_final, nIter_final, objhistory_final] = CF (X, k, options, U, V)
% CF  Concept factorisation, called as Deng Cai's function of this name is.
%
%   [U, V, nIter, objhistory] = CF (X, k, options)
%   [U, V, nIter, objhistory] = CF (X, k, options, U0, V0)
%
% X is features x samples: X is about X * U * V', U and V are samples x k. Options: error, maxIter,
% nRepeat, minIter, seed as of GNMF. U and V are not scaled afterwards. The method 'cf' does the work.
%
% LCCF, concept factorisation with a graph, is no method of Orthant; CF is LCCF with alpha 0.
%
% W. Xu, Y. Gong, Document clustering by concept factorization, SIGIR 2004.
%
% See also: GNMF, orthant.cf

  if nargin < 3
    options = struct ();
  end
  if nargin < 5
    U = [];
    V = [];
  end
  [U_final, V_final, nIter_final, objhistory_final] = ...
    orthant_repeat ('cf', {'weights', 'encoding'}, X, k, options, struct (), U, V);
end
