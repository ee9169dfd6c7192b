function X = complete (fit, X, mask)
% orthant.complete  Samples with fitted values in the places of missing entries.
%
%   X = orthant.complete (FIT, X)
%   X = orthant.complete (FIT, X, MASK)
%
% FIT is a result of orthant.fit with missing entries, X its samples or new ones. Missing are NaN (missing = 'nan'), what
% a sparse X does not store (missing = 'zeros') and entries of weight 0 in MASK; others stay as they are. The fit must
% not have scaled its samples.
%
% Example:
%   X = rand (60, 3) * rand (3, 20);
%   holes = X;
%   holes(rand (60, 20) < 0.1) = NaN;
%   fit = orthant.fit (holes, 'nmf', 3, 'missing', 'nan');
%   full = orthant.complete (fit, holes);
%
% See also: orthant.fit, orthant.fitted, orthant.transform

  if nargin < 2 || ~isstruct (fit)
    error ('orthant:argument', 'orthant.complete: expected a fit and X');
  end
  missing = 'none';
  if isfield (fit.parameters, 'missing')
    missing = fit.parameters.missing;
  end
  if nargin < 3 && strcmp (missing, 'none')
    error ('orthant:argument', 'orthant.complete: nothing says which entries are missing; give a mask');
  end
  if ~strcmp (fit.scale, 'none')
    error ('orthant:argument', 'orthant.complete: the samples of the fit were scaled (''%s'')', fit.scale);
  end
  known = true (size (X));
  options = {};
  if nargin > 2
    known = full (mask > 0);
    options = {'mask', mask};
  end
  if strcmp (missing, 'zeros')
    known = known & full (X ~= 0);
  else
    known = known & full (~isnan (X));
  end
  values = orthant.fitted (fit, orthant.transform (fit, X, options{:}));
  X = full (X);
  X(~known) = values(~known);
end
