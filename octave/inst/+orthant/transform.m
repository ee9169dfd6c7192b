function encoding = transform (fit, X, varargin)
% orthant.transform  Encodings of new samples under the basis of a fit.
%
%   encoding = orthant.transform (FIT, X)
%   encoding = orthant.transform (FIT, X, NAME, VALUE, ...)
%   encoding = orthant.transform (BASIS, X, ...)
%
% FIT is a result of orthant.fit, or a basis (features x K). Each row of X goes to its own minimum of what
% the fit minimised: its loss, the weights of features, missing entries, and the terms that act on one
% sample. A graph joins it with the nearest samples of the fit; its class is not known. Of a basis the loss
% alone is minimised, as it is where another loss is given. Samples are scaled as those of the fit were.
% Options: loss ('frobenius', 'kl', ...; that of the fit unless given), mask (weights of the entries of X),
% sample_weights, iterations (500), tolerance (1e-10), transpose, precision, scale, threads, memory, verbose.
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
  named = cellfun (@(x) ischar (x) && strcmp (x, 'loss'), varargin(1:2:end));
  if isstruct (fit) && isfield (fit, 'basis') && isfield (fit.parameters, 'loss') && ~any (named)
    varargin = [{'scale', fit.scale, 'scale_statistics', fit.scale_statistics}, varargin];
    encoding = orthant_call ('encode', {X, fit}, varargin);
    return;
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
