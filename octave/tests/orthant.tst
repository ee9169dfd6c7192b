%!shared X, truth, folder, digits
%! digits = fullfile (getenv ('ORTHANT_SOURCE'), 'data', 'digits', 'digits-images-idx3-ubyte.gz');
%! folder = tempname ();
%! mkdir (folder);
%! [X, truth] = orthant.read (digits);
%! rand ('twister', 5);

## ---- the same factors as the command's ----

%!test
%! run_command (['fit ' digits ' -m nmf -k 10 --precision double --iterations 20' ' -o ' folder '/run']);
%! fit = orthant.fit (X, 'nmf', 10, 'iterations', 20);
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));
%! assert (same (fit.encoding, read_npy ([folder '/run/encoding.npy'])));
%! assert (size (fit.encoding), [rows(X), 10]);

%!test  # single, with a graph that the library builds, scaled
%! run_command (['fit ' digits ' -m gnmf -k 10 -p graph_weight=10 -p neighbours=7 --weights heat --scale unit --iterations 15' ' -o ' folder '/run']);
%! fit = orthant.fit (single (X), 'gnmf', 10, 'graph_weight', 10, 'neighbours', 7, 'weights', 'heat', ...
%!                    'scale', 'unit', 'iterations', 15);
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));
%! assert (same (fit.encoding, read_npy ([folder '/run/encoding.npy'])));
%! % Samples as columns, and double converted to single.
%! fit = orthant.fit (X', 'gnmf', 10, 'graph_weight', 10, 'neighbours', 7, 'weights', 'heat', ...
%!                    'scale', 'unit', 'iterations', 15, 'transpose', true, 'precision', 'single');
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));

%!test  # labels, other terms
%! known = truth;
%! known(3:end) = NaN;
%! known(10:10:end) = truth(10:10:end);
%! written = known;
%! written(isnan (written)) = -1;
%! dlmwrite ([folder '/known.csv'], written);
%! run_command (['fit ' digits ' -m cdnmf -k 10 --precision double --labels ' folder '/known.csv --iterations 15 ' ...
%!                  '--term graph=2 --term sparsity=0.5 -p neighbours=3' ' -o ' folder '/run']);
%! fit = orthant.fit (X, 'cdnmf', 10, 'labels', known, 'iterations', 15, ...
%!                    'terms', struct ('graph', 2, 'sparsity', 0.5), 'neighbours', 3);
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));
%! assert (same (fit.encoding, read_npy ([folder '/run/encoding.npy'])));
%! run_command (['fit ' digits ' -m cdnmf-kl+ -k 10 --precision double --labels ' folder '/known.csv --iterations 15' ' -o ' folder '/run']);
%! fit = orthant.fit (X, 'cdnmf-kl+', 10, 'labels', known, 'iterations', 15);
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));
%! assert (same (fit.encoding, read_npy ([folder '/run/encoding.npy'])));
%! assert (sumsq (fit.basis), ones (1, 10), 1e-12);
%! run_command (['fit ' digits ' -m ssnmf -k 12 --precision double --labels ' folder '/known.csv --iterations 15 ' ...
%!                  '-p label_weight=300' ' -o ' folder '/run']);
%! fit = orthant.fit (X, 'ssnmf', 12, 'labels', known, 'iterations', 15, 'label_weight', 300);
%! assert (size (fit.label_basis), [numel(unique (known(! isnan (known)))), 12]);
%! assert (same (fit.label_basis, read_npy ([folder '/run/label_basis.npy'])));
%! assert (same (fit.encoding, read_npy ([folder '/run/encoding.npy'])));

%!test  # sparse, as rows and as columns
%! mat = [folder '/X.mat'];
%! fea = sparse (X .* (X > 6));
%! save ('-v7', mat, 'fea');
%! run_command (['fit ' mat ' -m nmf-kl -k 5 --precision double --iterations 10' ' -o ' folder '/run']);
%! basis = read_npy ([folder '/run/basis.npy']);
%! assert (same (getfield (orthant.fit (fea, 'nmf-kl', 5, 'iterations', 10), 'basis'), basis));
%! assert (same (getfield (orthant.fit (fea', 'nmf-kl', 5, 'iterations', 10, 'transpose', true), 'basis'), basis));
%! assert (same (getfield (orthant.fit (fea, 'nmf-kl', 5, 'iterations', 10, 'threads', 1), 'basis'), basis));
%! run_command (['fit ' mat ' -m nmf-kl -k 5 --iterations 10' ' -o ' folder '/run']);
%! basis = read_npy ([folder '/run/basis.npy']);
%! assert (same (getfield (orthant.fit (fea, 'nmf-kl', 5, 'iterations', 10, 'precision', 'single'), 'basis'), basis));
%! assert (same (getfield (orthant.fit (fea', 'nmf-kl', 5, 'iterations', 10, 'precision', 'single', 'transpose', true), 'basis'), basis));

%!test  # a graph that is given, clusters
%! G = orthant.graph (X, 'neighbours', 4, 'weights', 'cosine');
%! run_command (['graph ' digits ' --graph knn:4 --weights cosine --precision double -o ' folder '/G.mtx']);
%! run_command (['cluster ' digits ' -m gnmf -k 10 --precision double --graph ' folder '/G.mtx --iterations 10 -o ' folder '/run']);
%! [labels, fit] = orthant.cluster (X, 'gnmf', 10, 'graph', G, 'iterations', 10);
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));
%! assert (labels, dlmread ([folder '/run/labels.csv']) + 1);
%! assert (issparse (G) && isequal (G, G') && nnz (diag (G)) == 0);
%! assert (isequal (G, orthant.graph (X, 'neighbours', 4, 'weights', 'cosine', 'search', 'exact')));
%! L = orthant.graph (X, 'labels', [1; 1; 2; NaN(rows(X) - 3, 1)]);
%! assert (full ([L(1, 2), L(1, 3), L(2, 3)]), [1, 0, 0]);
%! scores = orthant.score (labels, truth);
%! assert (scores.samples, rows (X));
%! assert (scores.accuracy > 0.4);
%! assert (scores.v_measure, scores.nmi_arithmetic);
%! assert (scores.nmi <= scores.nmi_arithmetic && scores.nmi_arithmetic <= scores.nmi_min);

%!test  # new samples
%! fit = orthant.fit (X, 'nmf', 10, 'iterations', 20, 'scale', 'max');
%! run_command (['fit ' digits ' -m nmf -k 10 --precision double --iterations 20 --scale max' ' -o ' folder '/run']);
%! run_command (['transform ' folder '/run ' digits ' --precision double  -o ' folder '/new.npy ']);
%! assert (same (orthant.transform (fit, X), read_npy ([folder '/new.npy'])));
%! codes = orthant.transform (fit.basis, X(1:7, :) / max (X(:)));
%! assert (codes, orthant.transform (fit, X(1:7, :)), 1e-12);
%! kl = orthant.transform (fit.basis, X(1:7, :), 'loss', 'kl');
%! assert (max (abs (kl(:) - codes(:))) > 1e-6);

%!test  # clusters of new samples
%! [fit, labels] = orthant.fit (X, 'nmf', 10, 'iterations', 20, 'scale', 'max');
%! assert (mean (orthant.predict (fit, labels, X) == labels) > 0.9);
%! assert (orthant.predict (fit, labels, X(1:5, :)', 'transpose', true), orthant.predict (fit, labels, X(1:5, :)));
%! assert (fit.labels_rule, 'kmeans-scaled:encoding');
%! blocks = kron (eye (3), ones (20, 4)) + mod (reshape (1:720, 60, 12), 7) / 70;
%! [agreed, together] = orthant.fit (blocks, 'nmf', 3, 'starts', 4, 'labels_rule', 'consensus');
%! assert (orthant.predict (agreed, together, blocks), together);
%! fit.labels_rule = 'argmax-scaled:encoding';
%! [~, largest] = max (bsxfun (@times, orthant.transform (fit, X(1:9, :)), fit.labels_scale), [], 2);
%! assert (orthant.predict (fit, [], X(1:9, :)), largest);
%! [centres, labels] = orthant.fit (X, 'kmeans', 5, 'scale', 'unit');
%! assert (orthant.predict (centres, labels, 3 * X), labels);

%!test  # new samples minimise what the fit did
%! Z = 0.02 + rand (60, 4) .^ 2 * rand (4, 20) .^ 3;
%! sparse_fit = orthant.fit (Z, 'nnsc', 3, 'sparsity_weight', 0.2, 'iterations', 20000, 'tolerance', 0);
%! codes = orthant.transform (sparse_fit, Z);
%! assert (norm (codes - sparse_fit.encoding) < 1e-3 * norm (codes));
%! assert (norm (orthant.transform (sparse_fit, Z, 'loss', 'frobenius') - codes) > 1e-3 * norm (codes));
%! added = orthant.fit (Z, 'nmf', 3, 'terms', struct ('ridge', 0.5, 'ridge_basis', 0.5), 'iterations', 20000, 'tolerance', 0);
%! assert (sort (fieldnames (added.terms)), {'ridge'; 'ridge_basis'});
%! assert (norm (orthant.transform (added, Z) - added.encoding) < 1e-3 * norm (added.encoding));
%! graph = orthant.fit (Z(1:50, :), 'gnmf', 3, 'graph_weight', 1e6, 'neighbours', 1, 'iterations', 50);
%! [~, nearest] = min (sum ((Z(1:50, :) - Z(55, :)) .^ 2, 2));
%! assert (orthant.transform (graph, Z(55, :)), graph.encoding(nearest, :), 1e-3);
%! assert (orthant.fitted (added), added.encoding * added.basis');
%! assert (orthant.fitted (added, codes(1:2, :)), codes(1:2, :) * added.basis');

%!test  # missing entries
%! Z = 0.02 + rand (60, 3) * rand (3, 20);
%! held = rand (size (Z)) < 0.1;
%! holes = Z;
%! holes(held) = NaN;
%! fit = orthant.fit (holes, 'nmf', 3, 'missing', 'nan', 'iterations', 2000);
%! full_one = orthant.complete (fit, holes);
%! assert (full_one(! held), Z(! held));
%! assert (norm (full_one(held) - Z(held)) < 0.1 * norm (Z(held)));
%! masked = orthant.fit (Z, 'nmf', 3, 'mask', double (! held), 'iterations', 2000);
%! full_one = orthant.complete (masked, Z, ! held);
%! assert (norm (full_one(held) - Z(held)) < 0.1 * norm (Z(held)));

%!error <nothing says which entries> orthant.complete (orthant.fit (X(1:50, :), 'nmf', 2, 'iterations', 1), X(1:50, :))
%!error <has no basis and encoding> orthant.fitted (orthant.fit (X(1:50, :), 'snmf', 2, 'iterations', 1))
%!error <encodings of 3 parts> orthant.fitted (orthant.fit (X(1:50, :), 'nmf', 2, 'iterations', 1), ones (4, 3))

%!test  # a study
%! [rows, tables] = orthant.compare (X(1:300, :), truth(1:300), 'methods', 'kmeans,nmf', 'classes', '2', 'repeats', 2, 'iterations', 5);
%! assert (numel (rows), 4);
%! assert (all ([rows.accuracy] > 0.4) && all ([rows.classes] == 2));
%! assert (! isempty (strfind (tables, 'kmeans')));

%!test  # segments
%! picture = zeros (40, 60, 3);
%! picture(:, 31:end, 1) = 200;
%! path = [folder '/picture.ppm'];
%! file = fopen (path, 'w');
%! fprintf (file, 'P6\n60 40\n255\n');
%! fwrite (file, permute (picture, [3 2 1]), 'uint8');
%! fclose (file);
%! [labels, info] = orthant.segment (path, 'segments', 2);
%! assert (size (labels), [40 60]);
%! assert (info.segments, 2);
%! assert (all (labels(:, 1) == labels(1)) && all (labels(:, end) == labels(1, end)) && labels(1) != labels(1, end));

## ---- the result ----

%!test
%! fit = orthant.fit (X, 'nmf', 3, 'iterations', 5, 'tolerance', 0);
%! assert (fit.iterations, 5);
%! assert (numel (fit.history.objective), 6);
%! assert (fit.objective, fit.history.objective(end));
%! assert (fit.objective, norm (X - fit.encoding * fit.basis', 'fro') ^ 2, 1e-6 * fit.objective);
%! assert (fit.parameters.iterations, '5');
%! assert (fit.method, 'nmf');
%! assert (fit.stopped, false);

%!test  # starts are used as they are; every class of numbers is taken
%! W = rand (columns (X), 4);
%! S = rand (rows (X), 4);
%! fit = orthant.fit (uint8 (X), 'nmf', 4, struct ('iterations', 0, 'start', struct ('basis', W, 'encoding', S)));
%! assert (fit.basis, W);
%! assert (fit.encoding, S);
%! assert (getfield (orthant.fit (X > 7, 'nmf', 4, 'iterations', 2), 'iterations'), 2);

%!test  # fixed parts stay as they are
%! W = rand (columns (X), 2);
%! fit = orthant.fit (X, 'nmf', 4, 'iterations', 5, 'fixed_parts', W);
%! assert (fit.basis(:, 1:2), W);

%!test  # pooling as a matrix and as a text; similarities
%! H = kron (eye (2), ones (2));
%! a = orthant.fit (X, 'tnmf', 4, 'pooling', H, 'iterations', 5);
%! b = orthant.fit (X, 'tnmf', 4, 'pooling', 'all', 'iterations', 5);
%! assert (! same (a.basis, b.basis));
%! K = X(1:100, :) * X(1:100, :)';
%! fit = orthant.fit (X(1:100, :), 'snmf', 3, 'similarity', K, 'iterations', 5);
%! assert (size (fit.encoding), [100, 3]);
%! % As a number, scale is the width of the similarity.
%! fit = orthant.fit (X(1:100, :), 'snmf', 3, 'scale', 0.5, 'iterations', 5);
%! assert ({fit.parameters.scale, fit.scale}, {'0.5', 'none'});

%!test  # every method by its own function
%! known = truth(1:60);
%! for info = orthant.methods ()'
%!   options = {'iterations', 2};
%!   if (! isempty (strfind (info.needs, 'labels')))
%!     options = [options, {'labels', known}];
%!   endif
%!   name = strrep (strrep (info.name, '-', '_'), '+', '_plus');
%!   [fit, labels] = orthant.(name) (X(1:60, :), 10, options{:});
%!   assert (fit.method, info.name);
%!   assert (numel (labels), 60);
%!   assert (all (labels >= 1 & labels <= 10));
%!   text = help (['orthant.' name]);
%!   assert (! isempty (strfind (text, info.title)));
%! endfor

%!test
%! table = orthant.methods ('gnmf');
%! assert (table.parameters(1).name, 'graph_weight');
%! assert (! isempty (strfind (evalc ('orthant.methods (''gnmf'')'), 'graph_weight')));
%! assert (! isempty (strfind (evalc ('orthant.methods ()'), 'nlcf-g')));
%! for name = {'fit', 'cluster', 'transform', 'predict', 'fitted', 'complete', 'segment', 'compare', 'graph', 'score', 'read', 'methods', 'version'}
%!   assert (! isempty (strfind (help (['orthant.' name{1}]), ['orthant.' name{1}])));
%! endfor
%! for name = {'GNMF', 'NMF', 'CF', 'constructW'}
%!   assert (! isempty (strfind (help (name{1}), name{1})));
%! endfor

%!test  # progress
%! text = evalc ('orthant.fit (X, ''nmf'', 3, ''iterations'', 5, ''verbose'', true);');
%! assert (! isempty (strfind (text, 'fit: 5 of 5, objective')));
%! assert (isempty (evalc ('orthant.fit (X, ''nmf'', 3, ''iterations'', 5);')));

## ---- refusals: the library's words, and nothing lost ----

%!error <entry \(1, 2\) is -3; 'nmf' needs nonnegative data> orthant.fit ([1 -3; 2 2], 'nmf', 1)
%!error <nonnegative|finite|NaN|nan> orthant.fit ([1 NaN; 2 2], 'nmf', 1)
%!error <no parameter 'graph_wait'> orthant.fit (X, 'gnmf', 3, 'graph_wait', 10)
%!error <'gmnf'> orthant.fit (X, 'gmnf', 3)
%!error <expected a real matrix> orthant.fit ({1, 2}, 'nmf', 3)
%!error <complex double, expected a real matrix> orthant.fit (X + i, 'nmf', 3)
%!error <3 dimensions, expected a matrix> orthant.fit (ones (2, 2, 2), 'nmf', 1)
%!error <k: found cell> orthant.fit (X, 'nmf', {})
%!error <k: found 2.5, expected a whole number> orthant.fit (X, 'nmf', 2.5)
%!error <method: found double, expected a text> orthant.fit (X, 3, 3)
%!error <graph: expected a matrix, found a number> orthant.fit (X, 'gnmf', 3, 'graph', 5)
%!error <symmetric> orthant.fit (X, 'gnmf', 3, 'graph', sparse (1, 2, 1, rows (X), rows (X)))
%!error <labels: entry 2 is 1.5; expected a whole number> orthant.fit (X, 'cdnmf', 3, 'labels', 0.5 * (2:rows (X) + 1))
%!error <labels> orthant.fit (X, 'cdnmf', 3, 'labels', [1 2 3])
%!error <labels> orthant.fit (X, 'cdnmf', 3)
%!error <precision 'half': expected single or double> orthant.fit (X, 'nmf', 3, 'precision', 'half')
%!error <no plug-in 'nowhere' for devices> orthant.fit (X, 'nmf', 3, 'device', 'nowhere')
%!error <expected pairs of a name and a value> orthant.fit (X, 'nmf', 3, 'iterations')
%!error <expected 64 x 3> orthant.fit (X, 'nmf', 3, 'start', struct ('basis', ones (3)))
%!error <no such file|not found|No such file|does not exist> orthant.read ('/nowhere/at/all.mat')
%!error <has no basis for new samples> orthant.transform (orthant.fit (X(1:50, :), 'snmf', 2, 'iterations', 1), X)
%!error <no option 'neighbors'; there are neighbours> orthant.graph (X, 'neighbors', 3)
%!error <need the encoding of the fit and its clusters> orthant.predict (orthant.fit (X(1:50, :), 'nmf', 2, 'iterations', 1), [], X)
%!error <an option of a segmentation> orthant.segment ('x.png', 'segment', 2)
%!error <expected a whole number> orthant.segment ('x.png', 'segments', 2.5)
%!error <no method 'nfm'> orthant.compare (X(1:50, :), truth(1:50), 'methods', 'nfm')
%!error <no option 'los'; there are loss> orthant.transform (ones (64, 2), X, 'los', 'kl')
%!error <no option 'transposed'> orthant.read (digits, 'transposed', true)
%!error <called by the functions> orthant_mex ('fit')
%!error <called by the functions> orthant_mex ()

%!test
%! try
%!   orthant.fit (-X, 'nmf', 3);
%! catch err
%!   assert (err.identifier, 'orthant:data');
%! end_try_catch
%! try
%!   orthant.fit (X, 'nmf', 3, 'memory', 1e5);
%! catch err
%!   assert (err.identifier, 'orthant:memory');
%! end_try_catch

%!test  # fits, and refusals of what was half set up, in a loop: memory stays
%! function kb = resident ()
%!   kb = str2double (regexp (fileread ('/proc/self/status'), 'VmRSS:\s+(\d+)', 'tokens'){1}{1});
%! endfunction
%! G = orthant.graph (X);
%! function some (X, G, times)
%!   for t = 1:times
%!     orthant.fit (X, 'gnmf', 5, 'graph', G, 'iterations', 1);
%!     try
%!       orthant.fit (X, 'gnmf', 5, 'graph', G, 'start', struct ('basis', ones (3)));
%!     catch
%!     end_try_catch
%!   endfor
%! endfunction
%! some (X, G, 20);
%! before = resident ();
%! some (X, G, 100);
%! assert (resident () - before < 10000);  # one X alone is 920 kB

## ---- several fits, weights, data ----

%!test  # the best of several starts
%! fit = orthant.fit (X(1:200, :), 'nmf', 4, 'iterations', 10, 'starts', 4);
%! assert (size (fit.start_objectives), [1, 4]);
%! assert (fit.objective, min (fit.start_objectives));
%! assert (isempty (fit.consensus));

%!test  # by batches
%! run_command (['fit ' digits ' -k 4 --batch 100 -p batch_order=random --iterations 5 --precision double -o ' folder '/run']);
%! fit = orthant.fit (X, 'nmf', 4, 'batch', 100, 'batch_order', 'random', 'iterations', 5);
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));
%! assert (same (fit.encoding, read_npy ([folder '/run/encoding.npy'])));
%!error <a fit by batches takes no terms> orthant.fit (X, 'nmf', 3, 'batch', 9, 'terms', struct ('sparsity', 1))

%!test  # data in pieces: the rule, with matrices
%! W = 0.1 + mod (reshape (1:192, 64, 3), 7) / 7;
%! A = W; B = ones (64, 3);
%! fit = [];
%! for first = [1, 51, 71]
%!   P = double (X(first:first + 49, :));
%!   if isempty (fit)
%!     fit = orthant.partial (P, 'nmf', 3, [], 'fresh', 5, 'start', struct ('basis', W));
%!   else
%!     fit = orthant.partial (P, 'nmf', 3, fit, 'fresh', 5);
%!   end
%!   S = sqrt (mean (P(:)) / 3) * ones (50, 3);
%!   for update = 1:5
%!     S = S .* (P * W) ./ (S * (W' * W));
%!   end
%!   A = 0.7 * A + W .* (P' * S);
%!   B = 0.7 * B + W * (S' * S);
%!   W = A ./ B;
%!   assert (fit.basis, W, 1e-10 * max (W(:)));
%!   assert (fit.encoding, S, 1e-10 * max (S(:)));
%! end
%! assert (size (orthant.transform (fit, X)), [rows(X), 3]);
%!error <it is of no piece> orthant.partial (X, 'nmf', 3, orthant.fit (X, 'nmf', 3, 'iterations', 1))

%!test  # consensus
%! run_command (['consensus ' digits ' -k 4 --repeats 5 --threshold 0.9 --precision double -o ' folder '/run']);
%! [fit, labels] = orthant.consensus (X, 4, 'repeats', 5, 'threshold', 0.9);
%! assert (same (fit.basis, read_npy ([folder '/run/basis.npy'])));
%! assert (same (fit.encoding, read_npy ([folder '/run/encoding.npy'])));
%! assert (labels, dlmread ([folder '/run/labels.csv']) + 1);
%! assert (fit.consensus.kept + fit.consensus.left_out, 20);
%! assert (sum ([fit.consensus.parts.members]), fit.consensus.kept);
%! members = dlmread ([folder '/run/consensus.csv'], ',', 1, 0);
%! assert (fit.consensus.members(:, 4), members(:, 4), 1e-12);
%!error <expected 2 to> orthant.consensus (X, 3, 'repeats', 1)
%!error <exclude each other> orthant.consensus (X, 3, 'repeats', 3, 'starts', 2)

%!test  # mask and weights, beside plain updates
%! Y = X(1:80, :);
%! mask = double (rand (size (Y)) < 0.8);
%! rows = rand (80, 1);
%! cols = rand (1, columns (Y));
%! A = mask .* (rows * cols);
%! W = rand (columns (Y), 3);
%! S = rand (80, 3);
%! fit = orthant.fit (Y, 'nmf', 3, 'solver', 'mu', 'iterations', 3, 'tolerance', 0, 'mask', mask, ...
%!                    'sample_weights', rows, 'feature_weights', cols, 'start', struct ('basis', W, 'encoding', S));
%! for i = 1:3
%!   W = W .* ((A .* Y)' * S) ./ max ((A .* (S * W'))' * S, eps);
%!   S = S .* ((A .* Y) * W) ./ max ((A .* (S * W')) * W, eps);
%! endfor
%! assert (fit.encoding * fit.basis', S * W', 1e-8);
%! one = orthant.fit (Y, 'nmf', 3, 'solver', 'mu', 'iterations', 4, 'mask', mask);
%! two = orthant.fit (Y', 'nmf', 3, 'solver', 'mu', 'iterations', 4, 'mask', mask', 'transpose', true);
%! assert (same (one.basis, two.basis));
%! Y(mask == 0) = NaN;
%! start = struct ('basis', W, 'encoding', S);
%! one = orthant.fit (X(1:80, :), 'nmf', 3, 'solver', 'mu', 'iterations', 4, 'mask', mask, 'start', start);
%! gaps = orthant.fit (Y, 'nmf', 3, 'solver', 'mu', 'iterations', 4, 'missing', 'nan', 'start', start);
%! assert (one.basis, gaps.basis, 1e-12);

%!test  # what a mask leaves out has no part in the scale, and with its mask none in that of new samples
%! Y = X(1:80, :);
%! mask = double (rand (size (Y)) < 0.8);
%! lengths = sqrt (sum ((mask .* Y) .^ 2, 2));
%! lengths(lengths == 0) = 1;
%! start = struct ('basis', rand (columns (Y), 3), 'encoding', rand (80, 3));
%! given = {'nmf', 3, 'solver', 'mu', 'iterations', 4, 'mask', mask, 'start', start};
%! unit = orthant.fit (Y ./ lengths, given{:});
%! large = Y;
%! large(mask == 0) = 1e3;
%! fit = orthant.fit (large, given{:}, 'scale', 'unit');
%! assert (fit.basis, unit.basis, 1e-10);
%! assert (orthant.transform (fit, large, 'mask', mask), orthant.transform (unit, Y ./ lengths, 'mask', mask), 1e-8);
%! most = max (max (mask .* Y));
%! fit = orthant.fit (large, given{:}, 'scale', 'max');
%! assert (fit.scale_statistics, most);
%! plain = orthant.fit (Y / most, given{:});
%! assert (fit.basis, plain.basis, 1e-10);
%!error <samples that have a word> orthant.fit (X, 'nmf', 3, 'mask', ones (size (X)), 'scale', 'tfidf')

%!test  # fixed parts
%! known = rand (columns (X), 1);
%! fit = orthant.fit (X(1:100, :), 'nmf', 3, 'iterations', 5, 'fixed_parts', known);
%! assert (same (fit.basis(:, 1), known));

%!test  # ranks
%! run_command (['ranks ' digits ' -k 2:3 --repeats 2 --criteria blocks,starts --iterations 20 --precision double -o ' folder '/ranks']);
%! survey = orthant.ranks (X, 'rank', '2:3', 'repeats', 2, 'criteria', 'blocks,starts', 'iterations', 20);
%! table = dlmread ([folder '/ranks/ranks.csv'], ',', 1, 0);
%! assert (survey.k, [2; 3]);
%! assert (survey.error, table(:, 2), 1e-12);
%! assert (any (survey.recommended == [2, 3]) && ischar (survey.reasons{1}));
%! assert (all (isnan (survey.silhouette)));
%!error <nonnegative> orthant.ranks (X, 'method', 'pca')

%!test  # a number of parts that is found is the command's
%! Y = X(1:200, 1:30);
%! file = [folder '/part.csv'];
%! dlmwrite (file, Y, 'precision', '%.17g');
%! run_command (['cluster ' file ' --truth none -k 2:4 --term sparsity=0.1 -p normalise=basis --solver mu --iterations 30 --precision double -o ' folder '/found']);
%! [fit, labels] = orthant.fit (Y, 'nmf', 2:4, 'terms', struct ('sparsity', 0.1), 'normalise', 'basis', 'solver', 'mu', 'iterations', 30);
%! assert (any (fit.rank == 2:4) && columns (fit.basis) == fit.rank);
%! assert (same (fit.basis, read_npy ([folder '/found/basis.npy'])));
%! assert (labels, dlmread ([folder '/found/labels.csv']) + 1);
%! assert (any (! cellfun (@isempty, strfind (fit.rank_reasons, 'recommended'))));
%! text = orthant.nmf (Y, '2:4', 'terms', struct ('sparsity', 0.1), 'normalise', 'basis', 'solver', 'mu', 'iterations', 30);
%! assert (same (text.basis, fit.basis));
%! one = orthant.nmf (Y, 3, 'iterations', 2);
%! assert (isempty (one.rank_reasons));
%! found = orthant.nmf (X(1:40, 1:6) + 1, 'auto', 'iterations', 5);
%! assert (found.rank >= 2);
%! both = orthant.consensus (Y, 2:3, 'repeats', 3, 'threshold', 2, 'iterations', 10);
%! assert (any (both.rank == [2 3]) && both.consensus.starts == 3);
%!error <mask: cannot be together> orthant.nmf (X, 'auto', 'mask', ones (size (X)))
%!error <starts: cannot be together> orthant.nmf (X, 2:3, 'starts', 2)
%!error <rank> orthant.nmf (X, 'three')

%!test  # tables: columns of classes, names and of no use; names
%! file = [folder '/plants.csv'];
%! id = fopen (file, 'w');
%! fprintf (id, 'row,plant,height,width,kind\n1,one,3,1,oak\n2,two,,4,fir\n3,three,2,5,oak\n');
%! fclose (id);
%! [Y, classes, info] = orthant.read (file, 'truth', 'kind', 'id_column', 'plant', 'drop', 'row', 'missing', true);
%! assert (Y, [3 1; NaN 4; 2 5]);
%! assert (classes, [1; 0; 1]);
%! assert (info.features, {'height'; 'width'});
%! assert (info.samples, {'one'; 'two'; 'three'});
%! assert (info.classes, {'fir'; 'oak'});
%! assert (info.height, 0);
%! [~, ~, info] = orthant.read (digits);
%! assert ([info.height, info.width, info.channels], [8 8 1]);
%! assert (isempty (info.features) && isempty (info.classes) && ! info.column_major);
%!error <expected a finite number> orthant.read ([folder '/plants.csv'], 'truth', 'kind', 'id_column', 'plant', 'drop', 'row')

%!test  # losses, terms and methods have the bits of the command
%! file = [folder '/some.csv'];
%! Y = X(1:120, 3:30) + 1;
%! dlmwrite (file, Y, 'precision', '%.17g');
%! common = ' --truth none --iterations 6 --precision double --force -o ';
%! for loss = {'is', 'beta:0.5', 'huber:0.1', 'l1'}
%!   run_command (['fit ' file ' -k 3 --loss ' loss{1} common folder '/loss']);
%!   fit = orthant.fit (Y, 'nmf', 3, 'loss', loss{1}, 'iterations', 6);
%!   assert (same (fit.basis, read_npy ([folder '/loss/basis.npy'])));
%! endfor
%! for term = {'ridge', 'ridge-basis', 'sparsity', 'sparsity-basis', 'smooth', 'smooth-basis', 'orthogonal', 'orthogonal-basis', 'volume'}
%!   run_command (['fit ' file ' -k 3 --term ' term{1} '=0.3' common folder '/term']);
%!   fit = orthant.fit (Y, 'nmf', 3, 'terms', struct (strrep (term{1}, '-', '_'), 0.3), 'iterations', 6);
%!   assert (same (fit.basis, read_npy ([folder '/term/basis.npy'])));
%! endfor
%! for method = {'semi-nmf', 'kernel-nmf', 'cluster-nmf'}
%!   run_command (['fit ' file ' -k 3 -m ' method{1} common folder '/method']);
%!   fit = orthant.fit (Y, method{1}, 3, 'iterations', 6);
%!   assert (same (fit.encoding, read_npy ([folder '/method/encoding.npy'])));
%! endfor

%!test  # neighbours by what is known in both
%! Y = X(1:50, :) + 1;
%! Y(rand (size (Y)) < 0.3) = NaN;
%! far = zeros (50);
%! for i = 1:50
%!   for j = 1:50
%!     both = ! isnan (Y(i, :)) & ! isnan (Y(j, :));
%!     far(i, j) = sum ((Y(i, both) - Y(j, both)) .^ 2) * 64 / sum (both);
%!   endfor
%! endfor
%! far(logical (eye (50))) = Inf;
%! [~, order] = sort (far, 2);
%! edges = false (50);
%! for i = 1:50
%!   edges(i, order(i, 1:3)) = true;
%! endfor
%! assert (full (orthant.graph (Y, 'neighbours', 3, 'missing', 'nan')) > 0, edges | edges');
%! Z = Y;
%! Z(isnan (Z)) = 0;
%! assert (full (orthant.graph (sparse (Z), 'neighbours', 3, 'missing', 'zeros')) > 0, edges | edges');
%!error <is for sparse data> orthant.graph (X(1:9, :), 'neighbours', 3, 'missing', 'zeros')

%!test  # a consensus beside fixed parts
%! known = rand (columns (X), 1);
%! fit = orthant.consensus (X(1:200, :), 3, 'repeats', 4, 'threshold', 2, 'iterations', 20, 'fixed_parts', known);
%! assert (same (fit.basis(:, 1), known));
%! assert (fit.consensus.fixed, 1);
%! assert ([fit.consensus.parts.members](1), 0);
%! assert (sum ([fit.consensus.parts.members]), 8);
%! assert (all (fit.consensus.members(:, 2) >= 2 & fit.consensus.members(:, 3) >= 2));
%!error <1 fixed ones are given of 1> orthant.consensus (X, 1, 'repeats', 4, 'fixed_parts', ones (columns (X), 1))

%!test  # chosen entries
%! fit = orthant.nmf (X(1:60, :), 3, 'iterations', 20);
%! Y = orthant.fitted (fit);
%! assert (orthant.entries (fit, [1 60 7], [64 2 30]), [Y(1, 64); Y(60, 2); Y(7, 30)], 1e-12);
%! assert (orthant.entries (fit, 4, 5), Y(4, 5), 1e-12);
%!error <no row 61; expected 1 to 60> orthant.entries (orthant.nmf (X(1:60, :), 3, 'iterations', 1), 61, 1)
%!error <2 rows and 1 columns> orthant.entries (orthant.nmf (X(1:60, :), 3, 'iterations', 1), [1 2], 1)

%!test  # words
%! file = [folder '/lines.txt'];
%! id = fopen (file, 'w');
%! fprintf (id, 'one fish two fish\nred fish\n');
%! fclose (id);
%! [counts, words, classes] = orthant.words (file);
%! assert (words, {'fish'; 'one'; 'red'; 'two'});
%! assert (full (counts), [2 1 0 1; 1 0 1 0]);
%! assert (isempty (classes));
%! [counts, words] = orthant.words (file, 'min_count', 2);
%! assert (words, {'fish'});

%!test  # silhouette, by all pairs
%! Y = X(1:90, :);
%! labels = repmat ([1; 2; 3], 30, 1);
%! far = sqrt (max (sum (Y .^ 2, 2) + sum (Y .^ 2, 2)' - 2 * Y * Y', 0));
%! means = [sum(far(:, labels == 1), 2), sum(far(:, labels == 2), 2), sum(far(:, labels == 3), 2)];
%! s = zeros (90, 1);
%! for i = 1:90
%!   own = means(i, labels(i)) / 29;
%!   other = min (means(i, setdiff (1:3, labels(i)))) / 30;
%!   s(i) = (other - own) / max (own, other);
%! endfor
%! scores = orthant.silhouette (Y, labels);
%! assert (scores.silhouette, mean (s), 1e-6);
%! assert (scores.exact && scores.largest == 30);

## ---- Deng Cai's names ----

%!test
%! fea = X(1:300, :);
%! W = constructW (fea, struct ('k', 5, 'WeightMode', 'Binary'));
%! assert (same (full (W), full (orthant.graph (fea, 'neighbours', 5))));
%! [U, V, nIter, objhistory] = GNMF (fea', 4, W, struct ('alpha', 10, 'maxIter', 60));
%! assert (size (U), [columns(fea), 4]);
%! assert (size (V), [300, 4]);
%! assert (nIter, 60);
%! assert (sum (U .^ 2), ones (1, 4), 1e-12);
%! assert (all (diff (objhistory) <= 1e-9 * objhistory(1)));
%! assert (numel (objhistory), 31);
%! % The objective that the papers define, before the columns of U are scaled.
%! [U1, V1, n1, obj1] = GNMF (fea', 4, W, struct ('alpha', 10, 'maxIter', 7, 'nRepeat', 1));
%! fit = orthant.gnmf (fea, 4, 'graph', W, 'graph_weight', 10, 'iterations', 7, 'tolerance', 0, 'solver', 'mu');
%! assert (same (obj1', fit.history.objective));
%! L = diag (sum (W)) - W;
%! objective = norm (fea - fit.encoding * fit.basis', 'fro') ^ 2 + 10 * trace (fit.encoding' * L * fit.encoding);
%! assert (obj1(end), objective, 1e-9 * objective);
%! assert (U1 * V1', fit.basis * fit.encoding', 1e-9);

%!test
%! fea = X(1:300, :);
%! [U, V, nIter] = NMF (fea', 4, struct ('maxIter', 50));
%! assert (nIter, 50);
%! [U2, V2] = GNMF (fea', 4, [], struct ('alpha', 0, 'maxIter', 50));
%! assert (same (U, U2) && same (V, V2));
%! [U3, V3, nIter, objhistory] = NMF (fea', 4, struct ('maxIter', 0), U, V);
%! assert (U3, U, 1e-14);
%! [U4, V4, nIter, objhistory] = NMF (fea', 4, struct ('nRepeat', 2, 'error', 1e-3));
%! assert (nIter > 30 && nIter < 1000);

%!test
%! fea = X(1:200, :);
%! [U, V, nIter, objhistory] = CF (fea', 3, struct ('maxIter', 40, 'nRepeat', 3));
%! assert (size (U), [200, 3]);
%! assert (size (V), [200, 3]);
%! assert (norm (fea' - fea' * U * V', 'fro') < 0.9 * norm (fea, 'fro'));
%! assert (objhistory(end) <= objhistory(1));

%!error <NormW> GNMF (X', 3, [], struct ('NormW', 1))
%!error <Supervised|NeighborMode> constructW (X, struct ('NeighborMode', 'Supervised'))

%!test
%! confirm_recursive_rmdir (false, 'local');
%! rmdir (folder, 's');
