import type { Page } from "./page.ts";

interface SectionPlan {
  readonly title: string;
  /** Folder of the section's pages. Pages in the root are listed individually. */
  readonly folder: string;
  /** Pages to list first, in this order. All other pages follow, sorted by title. */
  readonly first: readonly string[];
  /** Pages of this section that are outside its folder. */
  readonly also?: readonly string[];
}

export interface Section {
  readonly title: string;
  readonly folder: string;
  readonly pages: readonly Page[];
}

/**
 * Folders that the menu omits, because hundreds of entries would make it useless. Readers find these pages through a
 * table or search.
 */
const unlisted = /^errors\/(?:codes|reasons)\//;

const plan: readonly SectionPlan[] = [
  {
    title: "Quickstart",
    folder: "quickstart",
    first: ["sixty-seconds", "resell-with-credits", "from-openai", "from-litellm", "install", "docker"],
  },
  {
    title: "Concepts",
    folder: "concepts",
    first: ["model-groups-and-deployments", "organizations-teams-keys", "credits-and-nano-usd"],
  },
  {
    title: "Guides",
    folder: "guides",
    first: [
      "call-any-model",
      "operations",
      "streaming",
      "tools",
      "structured-output",
      "vision",
      "embeddings",
      "audio",
      "responses",
      "assistants",
      "issue-keys-for-a-team",
      "set-caps",
      "sell-prepaid-credits",
      "custom-prices",
      "update-prices",
    ],
  },
  { title: "Console", folder: "admin", first: ["console", "shortcuts", "accessibility"] },
  { title: "Command line", folder: "cli", first: ["install", "login-and-profiles", "recipes", "reference"] },
  {
    title: "API",
    folder: "api",
    first: ["authentication", "pagination", "errors", "rate-limits", "idempotency", "webhooks", "versioning"],
  },
  { title: "Errors", folder: "errors", first: ["gateway", "platform"] },
  { title: "Configuration", folder: "config", first: ["settings", "environment"] },
  {
    title: "Providers",
    folder: "providers",
    first: ["openai-wire", "azure", "anthropic", "gemini", "vertex", "bedrock"],
  },
  { title: "Training", folder: "training", first: ["quickstart-python", "quickstart-typescript", "coordinator"] },
  {
    title: "Deploy",
    folder: "deploy",
    first: ["running", "docker", "compose", "helm", "kubernetes", "systemd", "upgrades"],
    also: ["scaling.md"],
  },
  { title: "Observe", folder: "observe", first: ["observability", "metrics", "log-format"] },
  { title: "Runbooks", folder: "observe/runbooks", first: [] },
  { title: "Migrate", folder: "migrate", first: ["litellm", "openai-assistants"] },
  { title: "Benchmarks", folder: "benchmarks", first: ["results", "method", "reproduce"] },
  { title: "Reference", folder: "reference", first: ["glossary"] },
  { title: "Contribute", folder: "contributing", first: [] },
  { title: "Decisions", folder: "decisions", first: [] },
];

/** Builds the menu, which lists all nonempty sections in reading order. */
export function planSections(pages: readonly Page[]): readonly Section[] {
  const unknown = pages.filter(({ path }) => path.includes("/") && planFor(path) === undefined);
  if (unknown.length > 0) throw new Error(`no section of the menu has ${unknown.map(({ path }) => path).join(", ")}`);
  const sections = plan.map((section) => {
    const { title, folder, first } = section;
    const own = pages.filter(({ path }) => planFor(path) === section && path !== `${folder}/index.md`);
    const listed = own.filter(({ path }) => !unlisted.test(path));
    return { title, folder, pages: listed.toSorted(byPlan(first, folder === "decisions")) };
  });
  const project = pages.filter(({ path }) => planFor(path) === undefined && path !== "index.md");
  return [...sections, { title: "Project", folder: "", pages: project }].filter((section) => section.pages.length > 0);
}

/** Returns a page's section, even if the menu omits the page. Returns null for the home page. */
export function sectionOf(sections: readonly Section[], { path }: Page): Section | null {
  if (path === "index.md") return null;
  const folder = planFor(path)?.folder ?? "";
  return sections.find((section) => section.folder === folder) ?? null;
}

/** Returns the innermost section that contains a page. */
function planFor(path: string): SectionPlan | undefined {
  const around = plan.filter(({ folder, also }) => path.startsWith(`${folder}/`) || also?.includes(path));
  return around.toSorted((one, other) => other.folder.length - one.folder.length)[0];
}

function byPlan(first: readonly string[], isByName: boolean): (one: Page, other: Page) => number {
  const rank = ({ path }: Page): number => {
    const index = first.indexOf(nameOf(path));
    return index < 0 ? first.length : index;
  };
  const text = ({ path, title }: Page): string => (isByName ? path : title.toLowerCase());
  return (one, other) => rank(one) - rank(other) || (text(one) < text(other) ? -1 : 1);
}

function nameOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\.md$/, "");
}
