function W = constructW (fea, options)
% constructW  The graph of samples, called as Deng Cai's function of this name is.
%
%   W = constructW (fea, options)
%
% Rows of fea are samples. Options, a struct:
%
%   NeighborMode   'KNN', the nearest neighbours
%   k              how many, 5 unless given
%   WeightMode     'HeatKernel' (unless given), 'Binary' or 'Cosine'
%   t              width of the heat kernel exp (-d^2 / (2 t^2)); the root of the mean squared distance
%                  unless given
%   bSelfConnected 1: ones on the diagonal
%
% 'Supervised', bTrueKNN and a k of 0 (all samples) are refused.
%
% See also: GNMF, orthant.graph

  if nargin < 2
    options = struct ();
  end
  given = struct ('NeighborMode', 'KNN', 'k', 5, 'WeightMode', 'HeatKernel', 't', 0, ...
                  'bSelfConnected', 0, 'bTrueKNN', 0);
  for name = fieldnames (options)'
    given.(name{1}) = options.(name{1});
  end
  if ~strcmpi (given.NeighborMode, 'KNN') || given.bTrueKNN || given.k < 1
    error ('orthant:argument', 'constructW: expected NeighborMode ''KNN'', k from 1 on and no bTrueKNN');
  end
  words = {'Binary', 'binary'; 'HeatKernel', 'heat'; 'Cosine', 'cosine'};
  which = strcmpi (words(:, 1), given.WeightMode);
  if ~any (which)
    error ('orthant:argument', 'constructW: WeightMode: expected Binary, HeatKernel or Cosine, found ''%s''', ...
           given.WeightMode);
  end
  W = orthant.graph (fea, 'neighbours', given.k, 'weights', words{which, 2}, 'heat_width', given.t);
  if given.bSelfConnected
    W = W + speye (size (W));
  end
end
