import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseUser, launchUnprivileged } from "../../apps/server/src/embedded-postgres/launch-unprivileged.ts";
import type { Engine } from "./engine.ts";
import { findProgram, installPackages } from "./programs.ts";

const DEBIAN_VERSIONS = "/usr/lib/postgresql";

/** PostgreSQL as production runs it, synced writes included: durability is one of the things tests prove. */
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
        // Trust is for loopback only, and nothing but test data is ever here.
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
      // Tests work as an owner without superuser rights, because that is what a managed database gives its customers.
      if (query("select 1 from pg_roles where rolname = 'tollgate'") === "")
        query("create role tollgate login createdb createrole");
    },
  };
}

/** A program of the newest PostgreSQL on this machine; installs one when there is none. */
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
