-- Everybody who was ever a guest of a workspace. Guest access is deleted when it ends; who had it may be let in again by id,
-- and nobody else's name and address can be read out by counting ids.

create table past_guests (
  brand_id integer not null references brands on delete cascade,
  user_id integer not null references users on delete cascade,
  primary key (brand_id, user_id)
);
create index past_guests_by_user on past_guests (user_id);

insert into past_guests (brand_id, user_id)
select brand_id, user_id from guest_access
on conflict do nothing;

-- Docs spaces wrote the guest as the subject, boards among the details.
insert into past_guests (brand_id, user_id)
select a.brand_id, u.user_id
from audit_log a
join users u on u.user_id::text = coalesce(a.details ->> 'user_id', substring(a.subject from '^user:(\d+)$'))
where a.action = 'guest.invited' and a.brand_id is not null
on conflict do nothing;
