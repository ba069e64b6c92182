import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseUser, launchUnprivileged } from "../../apps/server/src/embedded-postgres/launch-unprivileged.ts";
import type { Engine } from "./engine.ts";
import { findProgram, installPackages } from "./programs.ts";

const DEBIAN_VERSIONS = "/usr/lib/postgresql";

/** PostgreSQL configured as in production, including synced writes, because tests verify durability. */
export function describePostgres(folder: string, port: number): Engine {
  const data = join(folder, "data");
  const query = (sql: string) =>
    execFileSync(
      findPostgres("psql"),
      ["-qAtX", "-h", "127.0.0.1", "-p", `${port}`, "-U", "postgres", "-c", sql, "postgres"],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      },
    ).trim();

  return {
    name: "postgres",
    folder,
    port,
    stopSignal: "SIGINT",
    async prepare() {
      const user = chooseUser(data);
      if (!existsSync(join(data, "PG_VERSION"))) {
        mkdirSync(data, { recursive: true, mode: 0o700 });
        if (user) chownSync(data, user.uid, user.gid);
        // Trust authentication is for loopback only, and the database only has test data.
        const args = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8"];
        const launch = launchUnprivileged(findPostgres("initdb"), args, { reaches: [data], user });
        const { command, args: all, ...ids } = launch;
        execFileSync(command, all, { cwd: "/", stdio: ["ignore", "ignore", "inherit"], ...ids });
      }
      writeFileSync(
        join(data, "postgresql.auto.conf"),
        [
          "listen_addresses = '127.0.0.1'",
          `port = ${port}`,
          "unix_socket_directories = ''",
          "max_connections = 300",
          "shared_buffers = '128MB'",
          "fsync = on",
          "",
        ].join("\n"),
      );
      return launchUnprivileged(findPostgres("postgres"), ["-D", data], { reaches: [data], user });
    },
    async probe() {
      return query("show server_version").split(" ")[0] ?? "unknown";
    },
    async finish() {
      // Tests use an owner without superuser rights, as managed databases provide.
      if (query("select 1 from pg_roles where rolname = 'tollgate'") === "")
        query("create role tollgate login createdb createrole");
    },
  };
}

/** Returns a program of the newest PostgreSQL on this machine. Installs one if there is none. */
function findPostgres(program: string): string {
  const find = () => {
    const versions = existsSync(DEBIAN_VERSIONS)
      ? readdirSync(DEBIAN_VERSIONS).sort((a, b) => Number(b) - Number(a))
      : [];
    return findProgram(
      program,
      versions.map((version) => join(DEBIAN_VERSIONS, version, "bin")),
    );
  };
  const found = find();
  if (found !== null) return found;
  installPackages("postgresql");
  const installed = find();
  if (installed === null) throw new Error(`the postgresql package has no ${program}`);
  return installed;
}
