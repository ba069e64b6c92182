import { existsSync } from "node:fs";
import { join } from "node:path";
import { listHeadings, listLinks } from "../../apps/docs/src/read-markdown.ts";

export interface WrittenPage {
  /** Path from the repository root. */
  readonly source: string;
  readonly markdown: string;
}

/** Returns every link to a missing file or a missing heading. */
export function findDeadLinks(root: string, pages: readonly WrittenPage[]): readonly string[] {
  const anchors = new Map(
    pages.map(({ source, markdown }) => [source, new Set(listHeadings(markdown).map(({ anchor }) => anchor))]),
  );
  return pages.flatMap(({ source, markdown }) =>
    listLinks(markdown).flatMap((href) => {
      const problem = judge(root, source, href, anchors);
      return problem === null ? [] : [`${source}: ${href} ${problem}`];
    }),
  );
}

function judge(
  root: string,
  source: string,
  href: string,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  if (href.startsWith("/")) return "is absolute, which works on no other site";
  const [target = "", anchor] = href.split("#", 2);
  const path = target === "" ? source : join(source, "..", decodeURIComponent(target));
  if (!existsSync(join(root, path)) && !isMadeByTheSite(path)) return "is not there";
  if (anchor === undefined) return null;
  return anchors.get(path)?.has(anchor) === true ? null : "has no such heading";
}

/** Reports whether a path exists only on the built site. */
function isMadeByTheSite(path: string): boolean {
  return path === "docs/llms.txt" || path === "docs/llms-full.txt";
}
