-- Functions with the rights of the owner see past every policy, so nobody may call one whose work does not need it: by
-- these, any connection could have asked for the address of each person and for who belongs where.
revoke execute on function tollgate_is_member, tollgate_shares_organization, tollgate_user_email from public;
grant execute on function tollgate_is_member, tollgate_shares_organization, tollgate_user_email to tollgate_platform;
