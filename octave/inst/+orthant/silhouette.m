function scores = silhouette (points, labels, varargin)
% orthant.silhouette  Clusters by themselves, without a truth.
%
%   scores = orthant.silhouette (POINTS, LABELS)
%
% POINTS has a row for each sample: the samples, or fit.encoding. A struct: silhouette, exact (true: of all pairs
% of up to 4,000 points; false: of distances to the centres), cohesion (the share of the points' scatter that lies between the clusters),
% samples, clusters, smallest and largest (samples of a cluster). Samples whose label is NaN or -1 are left out.
%
% Example:
%   scores = orthant.silhouette ([0; 0; 5], [1; 1; 2]);   % scores.cohesion is 1
%
% See also: orthant.score

  if nargin < 2
    error ('orthant:argument', 'orthant.silhouette: expected points and labels');
  end
  scores = orthant_call ('silhouette', {points, double(labels)}, varargin);
end
