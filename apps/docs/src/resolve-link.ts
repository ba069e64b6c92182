import { posix } from "node:path";
import type { Page } from "./page.ts";
import { sitePathOf } from "./read-pages.ts";

/** Target of a link. */
type LinkTarget =
  | { readonly kind: "elsewhere" }
  /** A page or file on the site. `anchor` excludes the `#` and is empty if the link has no anchor. */
  | { readonly kind: "site"; readonly path: string; readonly anchor: string }
  /** A file or folder that is in the repository but not on the site. */
  | { readonly kind: "repository"; readonly path: string };

/** Resolves a link relative to its source file in the repository. */
export function resolveLink(href: string, source: string): LinkTarget {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//")) return { kind: "elsewhere" };
  const [target = "", anchor = ""] = href.split("#", 2);
  const path = target === "" ? source : posix.normalize(posix.join(posix.dirname(source), decodeURIComponent(target)));
  const sitePath = sitePathOf(path.replace(/\/$/, ""));
  if (sitePath === null) return { kind: "repository", path };
  const isFolder = posix.extname(sitePath) === "";
  return { kind: "site", path: isFolder ? posix.join(sitePath, "index.md") : sitePath, anchor };
}

/** Returns the URL of a site path relative to a page, so that the site works under any path and from disk. */
export function relativeTo({ path }: Pick<Page, "path">, target: string): string {
  return posix.relative(posix.dirname(path), target) || posix.basename(target);
}
