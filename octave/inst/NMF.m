function [U_final, V_final, nIter_final, objhistory_final] = NMF (X, k, options, U, V)
% NMF  Nonnegative matrix factorisation, called as Deng Cai's function of this name is.
%
%   [U, V, nIter, objhistory] = NMF (X, k, options)
%   [U, V, nIter, objhistory] = NMF (X, k, options, U0, V0)
%
% X is features x samples: X is about U * V'. Options and differences are those of GNMF; there is no
% graph. The updates are multiplicative; orthant.nmf, by coordinate descent, is faster.
%
% See also: GNMF, orthant.nmf

  if nargin < 3
    options = struct ();
  end
  if nargin < 5
    U = [];
    V = [];
  end
  options.alpha = 0;
  [U_final, V_final, nIter_final, objhistory_final] = GNMF (X, k, [], options, U, V);
end
