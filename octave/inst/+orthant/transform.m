function encoding = transform (fit, X, varargin)
% orthant.transform  Encodings of new samples under the basis of a fit.
%
%   encoding = orthant.transform (FIT, X)
%   encoding = orthant.transform (FIT, X, NAME, VALUE, ...)
%   encoding = orthant.transform (BASIS, X, ...)
%
% FIT is a result of orthant.fit, or a basis (features x K). Each row of X goes to its own minimum of
% the loss over nonnegative codes; the terms of the fit have no part in it. Samples are scaled as
% those of the fit were. Options: loss ('frobenius' or 'kl'; that of the fit unless given),
% iterations (500), tolerance (1e-10), transpose, precision, scale, threads, memory, verbose.
%
% Example:
%   X = rand (100, 20);
%   fit = orthant.fit (X, 'nmf', 3);
%   encoding = orthant.transform (fit, X(1:5, :));
%
% See also: orthant.fit

  if nargin < 2
    error ('orthant:argument', 'orthant.transform: expected a fit and X');
  end
  if numel (varargin) == 1 && isstruct (varargin{1})
    varargin = reshape ([fieldnames(varargin{1}), struct2cell(varargin{1})]', 1, []);
  end
  loss = 'frobenius';
  basis = fit;
  if isstruct (fit)
    if ~isfield (fit, 'basis')
      error ('orthant:argument', 'orthant.transform: ''%s'' has no basis for new samples', fit.method);
    end
    basis = fit.basis;
    if isfield (fit.parameters, 'loss')
      loss = fit.parameters.loss;
    end
    varargin = [{'scale', fit.scale, 'scale_statistics', fit.scale_statistics}, varargin];
  end
  named = cellfun (@(x) ischar (x) && strcmp (x, 'loss'), varargin(1:2:end));
  if any (named)
    loss = varargin{2 * find(named, 1, 'last')};
  end
  encoding = orthant_call ('transform', {X, basis, loss}, varargin);
end
