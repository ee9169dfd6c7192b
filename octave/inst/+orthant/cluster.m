function [labels, fit] = cluster (X, method, k, varargin)
% orthant.cluster  Clusters of samples by the factors of their data.
%
%   labels = orthant.cluster (X, METHOD, K, ...)
%   [labels, fit] = orthant.cluster (X, METHOD, K, ...)
%
% Arguments as of orthant.fit. Labels are a column of numbers from 1 to the number of clusters.
%
% Example:
%   labels = orthant.cluster ([rand(20, 5); 5 + rand(20, 5)], 'kmeans', 2);
%
% See also: orthant.fit, orthant.score

  if nargin < 3
    error ('orthant:argument', 'orthant.cluster: expected X, a method and the number of parts');
  end
  [fit, labels] = orthant_call ('fit', {X, method, k}, varargin);
end
