function found = predict (fit, labels, X, varargin)
% orthant.predict  Clusters of new samples.
%
%   found = orthant.predict (FIT, LABELS, X)
%   found = orthant.predict (FIT, LABELS, X, NAME, VALUE, ...)
%
% FIT and LABELS are the two results of orthant.fit. The samples X (rows) get their codes under the basis
% (orthant.transform), and the cluster of the largest entry, or the one whose mean code is nearest, by the rule that
% LABELS were found by; of 'kmeans' the nearest centre. LABELS may be [] where the rule is argmax:encoding.
% Options as of orthant.transform.
%
% Example:
%   X = [rand(20, 5); 5 + rand(20, 5)];
%   [fit, labels] = orthant.fit (X, 'nmf', 2);
%   found = orthant.predict (fit, labels, X(1:3, :));
%
% See also: orthant.fit, orthant.transform

  if nargin < 3
    error ('orthant:argument', 'orthant.predict: expected a fit, its labels and X');
  end
  if strcmp (fit.method, 'kmeans')
    scaled = {'scale', fit.scale, 'scale_statistics', fit.scale_statistics};
    found = orthant_call ('nearest', {X, fit.basis}, [scaled, varargin]);
  else
    codes = orthant.transform (fit, X, varargin{:});
    found = orthant_mex ('predict', codes, fit.encoding, double (labels) - 1, fit.labels_rule, fit.labels_scale);
  end
end
