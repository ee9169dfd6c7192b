function [U, V, nIter, objhistory] = orthant_repeat (method, factors, X, k, options, more, U, V)
% orthant_repeat  Internal: the best of several starts, then on from there, as in Deng Cai's functions.
%
% FACTORS: the names of U and V. MORE: options of orthant.fit as a struct. OPTIONS: error, maxIter,
% nRepeat, minIter and, ours, seed.

  defaults = struct ('error', 1e-5, 'maxIter', [], 'nRepeat', 10, 'minIter', 30, 'seed', 1);
  for name = fieldnames (defaults)'
    if ~isfield (options, name{1})
      options.(name{1}) = defaults.(name{1});
    end
  end
  more.transpose = true;
  done = 0;
  if ~isempty (U)
    more.start = struct (factors{1}, U, factors{2}, V);
  elseif options.nRepeat > 1
    done = options.minIter;
    if ~isempty (options.maxIter)
      done = min (done, options.maxIter);
    end
    more.start = best_start (method, factors, X, k, options, more, done);
  else
    more.seed = options.seed;
  end
  if isempty (options.maxIter)
    more.iterations = 1e6;
    more.tolerance = options.error;
  else
    more.iterations = options.maxIter - done;
    more.tolerance = 0;
  end
  fit = orthant.fit (X, method, k, more);
  U = fit.(factors{1});
  V = fit.(factors{2});
  nIter = done + fit.iterations;
  objhistory = fit.history.objective';
end

function start = best_start (method, factors, X, k, options, more, iterations)
  more.iterations = iterations;
  more.tolerance = 0;
  lowest = Inf;
  for attempt = 1:options.nRepeat
    more.seed = options.seed + attempt - 1;
    fit = orthant.fit (X, method, k, more);
    if fit.objective < lowest
      lowest = fit.objective;
      start = struct (factors{1}, fit.(factors{1}), factors{2}, fit.(factors{2}));
    end
  end
end
