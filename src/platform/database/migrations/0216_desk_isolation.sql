-- How a desk keeps builds apart, as its last health check said: namespace, user or none. Null: it did not say.
alter table desks add column isolation text;
