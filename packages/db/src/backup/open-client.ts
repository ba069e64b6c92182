import { hostname } from "node:os";
import { Client } from "pg";

const CONNECT_LIMIT_MS = 5_000;
// Override server settings: a text format that every server parses identically, and no time limits.
const SETTINGS = `set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex';
  set extra_float_digits = 1; set client_encoding = 'UTF8'; set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/** Opens a connection for a backup or restore as the user in the connection string, who must own the tables. */
export async function openClient(connectionString: string, purpose: "backup" | "restore"): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: `tollgate ${purpose} ${process.pid} on ${hostname()}`.slice(0, 63),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // A broken connection is reported by the query and by this event. Without a listener, the event would end the
  // process.
  client.on("error", () => {});
  await client.connect();
  await client.query(SETTINGS);
  return client;
}
