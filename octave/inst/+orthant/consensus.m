function [fit, labels] = consensus (X, k, varargin)
% orthant.consensus  The parts that many starts agree on, as cNMF finds them (Kotliar et al. 2019).
%
%   fit = orthant.consensus (X, K)
%   fit = orthant.consensus (X, K, NAME, VALUE, ...)
%   [fit, labels] = orthant.consensus (...)
%
% The parts of all starts are brought to unit length; those that lie far from others are left out;
% k-means makes K clusters of the rest, whose medians are the parts; the encodings are fitted once
% more while these are held. Fixed parts (fixed_parts) stay, the first of all, and the others are found
% beside them. Options are those of orthant.fit and
%
%   method         'nmf' unless given: a loss with terms
%   repeats        starts, 100 unless given
%   threshold      a part whose mean distance to its nearest neighbours is above this is left out:
%                  0.5 unless given; 2 keeps all
%   neighbourhood  how many neighbours those are, as a share of the starts: 0.3 unless given
%
% The result is that of orthant.fit, and its field consensus a struct: silhouette (1 where the starts
% agree), kept, left_out, starts, fixed (how many parts were), parts (a struct array, the most stable part first: members, starts
% that have one, silhouette, cosine with the members) and members, a matrix with a row for each part
% of each start: start, part, part of the consensus (NaN: left out), density, silhouette.
%
% Example:
%   X = rand (100, 3) * rand (3, 20);
%   fit = orthant.consensus (X, 3, 'repeats', 20);
%   fit.consensus.silhouette
%
% See also: orthant.fit, orthant.ranks

  if nargin < 2
    error ('orthant:argument', 'orthant.consensus: expected X and the number of parts');
  end
  method = 'nmf';
  names = {'consensus', 100};
  own = struct ('repeats', 'consensus', 'threshold', 'consensus_threshold', ...
                'neighbourhood', 'consensus_neighbourhood');
  for i = 1:2:numel (varargin) - 1
    if strcmp (varargin{i}, 'method')
      method = varargin{i + 1};
    elseif ischar (varargin{i}) && isfield (own, varargin{i})
      names = [names, {own.(varargin{i}), varargin{i + 1}}];
    else
      names = [names, varargin(i:i + 1)];
    end
  end
  if mod (numel (varargin), 2) ~= 0
    error ('orthant:argument', 'options: expected pairs of a name and a value');
  end
  if nargout > 1
    [fit, labels] = orthant.fit (X, method, k, names{:});
  else
    fit = orthant.fit (X, method, k, names{:});
  end
end
