import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cores } from "../processes/cores.ts";
import { startPinned } from "../processes/start-pinned.ts";
import { type Ports, type StartContestant, waitUntilListening } from "./contestant.ts";
import { findNginx } from "./find-nginx.ts";

/** Starts nginx as a plain proxy with one worker, to show the cost of a proxy that isn't a Node program. */
export const startNginx: StartContestant = async (ports, directory) => {
  const nginx = findNginx();
  const home = join(directory, `nginx-${ports.own}`);
  mkdirSync(home);
  writeFileSync(join(home, "nginx.conf"), writeConfiguration(ports, home));
  const program = startPinned({
    name: `nginx-${ports.own}`,
    core: cores.contestant,
    command: nginx,
    args: ["-p", home, "-e", join(home, "error.log"), "-c", join(home, "nginx.conf")],
    directory,
  });
  await waitUntilListening("nginx", ports.own, program);
  return {
    name: "nginx",
    version: /nginx\/([\d.]+)/.exec(spawnSync(nginx, ["-v"], { encoding: "utf8" }).stderr)?.[1] ?? "unknown",
    url: `http://127.0.0.1:${ports.own}`,
    headers: { authorization: "Bearer sk-bench" },
    rewritesModel: false,
    pids: program.pids,
    stop: program.stop,
  };
};

function writeConfiguration(ports: Ports, home: string): string {
  return `
worker_processes 1;
daemon off;
pid ${home}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path ${home}/client-body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  upstream fake {
    server 127.0.0.1:${ports.upstream};
    keepalive 128;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${ports.own};
    location / {
      proxy_pass http://fake;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}
