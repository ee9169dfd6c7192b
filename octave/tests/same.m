function yes = same (a, b)
% Whether two arrays have the same class, size and bits: NaN is NaN, and 0 is not -0.
  yes = strcmp (class (a), class (b)) && isequal (size (a), size (b)) ...
        && isequal (typecast (a(:), 'uint8'), typecast (b(:), 'uint8'));
end
