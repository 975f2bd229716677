-- A domain reads the same in its coded form (xn--…): these addresses are named anew when the service starts.
update users set account_name = null where email::text ilike '%@%xn--%';
update invitations set account_name = null where email ilike '%@%xn--%';
