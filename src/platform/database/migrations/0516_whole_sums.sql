-- Sums of whole numbers as a whole number, or an error when they are beyond it. Sums as they come make a number of any length for
-- every group, which takes longer than adding: a report of ten thousand cards has four of them for each.
create aggregate whole_sum(bigint) (
  sfunc = int8pl, stype = bigint, initcond = '0', combinefunc = int8pl, parallel = safe
);
