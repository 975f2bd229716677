-- Which kinds of items there are is the program's to say: a list in two places kept releases from telling something new.
alter table inbox_items drop constraint if exists inbox_items_kind;
