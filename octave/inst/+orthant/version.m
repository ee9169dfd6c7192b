function text = version ()
% orthant.version  The version of the library, as a text; prints the CPU's kernels and the BLAS too
% where the result is not asked for.

  info = orthant_mex ('version');
  if nargout > 0
    text = info.version;
  else
    fprintf ('Orthant %s, kernels %s, %s\n', info.version, info.kernels, info.blas);
  end
end
