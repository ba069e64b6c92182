// Started by the tests as a process of its own: runs the database on the folder it is given until it is told to end.
import { startEmbeddedPostgres } from "./start-embedded-postgres.ts";

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] as string });
console.log(server.connectionString);
process.once("SIGTERM", () => void server.stop());
