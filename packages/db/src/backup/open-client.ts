import { hostname } from "node:os";
import { Client } from "pg";

const CONNECT_LIMIT_MS = 5_000;
// However the server is set up: text that every server reads alike, and time for as many rows as there are.
const SETTINGS = `set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex';
  set extra_float_digits = 1; set client_encoding = 'UTF8'; set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/** A connection for a backup or a restore, as the user of the address: the owner of the tables. */
export async function openClient(connectionString: string, purpose: "backup" | "restore"): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: `tollgate ${purpose} ${process.pid} on ${hostname()}`.slice(0, 63),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // A connection that breaks is told twice, by the query and by this event; unheard, the second ends the process.
  client.on("error", () => {});
  await client.connect();
  await client.query(SETTINGS);
  return client;
}
