export const BEGIN_MARKER = '<!-- guildhall:memory:begin -->';
export const END_MARKER = '<!-- guildhall:memory:end -->';
