function fit = partial (X, method, k, before, varargin)
% orthant.partial  One step of a fit of data that come in pieces.
%
%   fit = orthant.partial (X, METHOD, K, [])
%   fit = orthant.partial (X, METHOD, K, BEFORE, NAME, VALUE, ...)
%
% X is the next piece, with any number of samples (rows) and the same features as the others. BEFORE is what the
% call for the piece before gave, [] for the first. METHOD is 'nmf' or 'nmf-kl'; the losses 'frobenius', 'kl', 'is' and
% 'beta:B' are taken, without terms. Options are those of orthant.fit; of these
%
%   forget   what a piece leaves of the sums before it, from 0 to 1; 0.7 unless given
%   fresh    updates of the codes of a piece; 30 unless given
%
% The result is that of orthant.fit: basis is the basis after this piece, encoding has the codes of its samples, and
% numerators and denominators are what the next call goes on from. orthant.transform (fit, ALL) gives the codes of all
% samples in the end.
%
% Example:
%   fit = [];
%   for i = 1:10
%     fit = orthant.partial (rand (50, 20), 'nmf', 3, fit);
%   end
%
% See also: orthant.fit, orthant.transform

  if nargin < 4
    error ('orthant:argument', 'orthant.partial: expected X, a method, the number of parts and the fit before, or []');
  end
  options = [{'partial', 'yes'}, varargin];
  if ~isempty (before)
    for name = {'basis', 'numerators', 'denominators'}
      if ~isfield (before, name{1})
        error ('orthant:argument', 'orthant.partial: the fit before has no %s: it is of no piece', name{1});
      end
      start.(name{1}) = before.(name{1});
    end
    options = [options, {'start', start}];
  end
  fit = orthant.fit (X, method, k, options{:});
end
