function X = fitted (fit, encoding)
% orthant.fitted  The matrix that a fit, or encodings under its basis, stand for.
%
%   X = orthant.fitted (FIT)
%   X = orthant.fitted (FIT, ENCODING)
%
% Encoding times basis, samples x features: of the fit itself, or of encodings that orthant.transform gave. In the units
% of the samples as they were scaled.
%
% Example:
%   X = rand (100, 20);
%   fit = orthant.fit (X, 'nmf', 3);
%   Y = orthant.fitted (fit);
%
% See also: orthant.transform, orthant.complete

  if nargin < 1 || ~isstruct (fit)
    error ('orthant:argument', 'orthant.fitted: expected a fit');
  end
  if ~isfield (fit, 'basis') || ~isfield (fit, 'encoding')
    error ('orthant:argument', 'orthant.fitted: ''%s'' has no basis and encoding', fit.method);
  end
  if nargin < 2
    encoding = fit.encoding;
  end
  if size (encoding, 2) ~= size (fit.basis, 2)
    error ('orthant:argument', 'orthant.fitted: encodings of %d parts, the basis has %d', size (encoding, 2), ...
           size (fit.basis, 2));
  end
  X = encoding * fit.basis';
end
