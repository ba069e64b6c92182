import type { IncomingMessage, ServerResponse } from "node:http";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler for specific path prefixes. Handles all methods and uses its own response format. */
export interface MountedHandler {
  /** Path prefixes such as `/api`, including everything below them. */
  readonly prefixes: readonly string[];
  /** Excluded paths below the prefixes. */
  readonly except?: readonly string[];
  /** Paths outside the prefixes that the handler serves to browsers. Other clients get the gateway's response. */
  readonly browserPaths?: readonly string[];
  readonly handle: RequestHandler;
  /** Under overload, receives read requests instead of `handle`, and refuses them. */
  readonly refuseRead?: RequestHandler;
  /**
   * Reports whether reads of this target are served under overload, too. They don't use up the few reads that are served
   * regardless of pressure.
   */
  readonly isAlwaysServed?: (target: string) => boolean;
}

/** Reports whether the handler serves a request: it is below the prefixes, or a browser asks for a page. */
export function isServedBy(mounted: MountedHandler, { method, url = "/", headers }: IncomingMessage): boolean {
  if (isUnder(mounted, url)) return true;
  const isRead = method === "GET" || method === "HEAD";
  if (!isRead || mounted.browserPaths?.includes(pathOf(url)) !== true) return false;
  return headers.accept?.includes("text/html") === true;
}

function isUnder({ prefixes, except }: MountedHandler, target: string): boolean {
  const isBelow = prefixes.some(
    (prefix) =>
      target.startsWith(prefix) && (target.length === prefix.length || "/?".includes(target.charAt(prefix.length))),
  );
  return isBelow && (except === undefined || !except.includes(pathOf(target)));
}

const pathOf = (target: string): string => target.split("?", 1)[0] as string;

/** Returns a handler that also serves its prefixes below the root path of this Tollgate instance. */
export function underRootPath(mounted: MountedHandler, rootPath: string): MountedHandler {
  if (rootPath === "") return mounted;
  const withoutRoot = (target: string) => {
    if (pathOf(target) === rootPath) return `/${target.slice(rootPath.length)}`;
    return target.startsWith(`${rootPath}/`) ? target.slice(rootPath.length) : target;
  };
  const below =
    (handle: RequestHandler): RequestHandler =>
    (request, response) => {
      request.url = withoutRoot(request.url as string);
      handle(request, response);
    };
  const { isAlwaysServed, browserPaths } = mounted;
  return {
    prefixes: alsoBelow(mounted.prefixes, rootPath),
    ...(mounted.except && { except: alsoBelow(mounted.except, rootPath) }),
    ...(browserPaths && { browserPaths: [...alsoBelow(browserPaths, rootPath), rootPath] }),
    handle: below(mounted.handle),
    ...(mounted.refuseRead && { refuseRead: below(mounted.refuseRead) }),
    ...(isAlwaysServed && { isAlwaysServed: (target: string) => isAlwaysServed(withoutRoot(target)) }),
  };
}

function alsoBelow(paths: readonly string[], rootPath: string): readonly string[] {
  return [...paths, ...paths.map((path) => rootPath + path)];
}
