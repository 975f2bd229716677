-- Names stand in letters and lists: line breaks and other control characters in them become blanks.
update users set full_name = coalesce(nullif(btrim(regexp_replace(full_name, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g')), ''), 'Unnamed')
where full_name ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]';
update brands set name = coalesce(nullif(btrim(regexp_replace(name, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g')), ''), 'Unnamed')
where name ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]';

-- Whoever was shown out has no say any more in who comes in.
update invitations i set status = 'revoked'
where i.status = 'pending' and i.invited_by is not null and not exists (
  select from memberships m where m.brand_id = i.brand_id and m.user_id = i.invited_by and m.active);
