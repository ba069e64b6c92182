-- Each invitation counts the earlier ones to the same mailbox (decision 91). count_mailed_invitations has the same
-- expression.
create index invitations_mailbox on invitations (regexp_replace(email, '^([^+@]+)\+[^@]*@', '\1@'), created_at);
