function scores = score (found, truth)
% orthant.score  Scores of labels beside the true ones.
%
%   scores = orthant.score (FOUND, TRUTH)
%
% A struct with accuracy (share of samples under the best one-to-one matching), nmi (mutual
% information over the larger of the two entropies; nmi_arithmetic, as in scikit-learn, nmi_geometric
% and nmi_min over other means of them), ari (adjusted Rand index), ami (adjusted mutual information),
% homogeneity, completeness and their v_measure, purity, and the numbers of samples, clusters and classes. Samples whose label is NaN or -1 in either are left out.
%
% Example:
%   scores = orthant.score ([1 1 2 2], [5 5 5 7]);   % scores.accuracy is 0.75

  if nargin ~= 2
    error ('orthant:argument', 'orthant.score: expected two vectors of labels');
  end
  scores = orthant_mex ('score', double (found), double (truth));
end
