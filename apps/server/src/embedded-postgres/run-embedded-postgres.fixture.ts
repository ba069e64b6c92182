// Runs the database in the given folder until SIGTERM. Tests run this file as a separate process.
import { startEmbeddedPostgres } from "./start-embedded-postgres.ts";

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] as string });
console.log(server.connectionString);
process.once("SIGTERM", () => void server.stop());
