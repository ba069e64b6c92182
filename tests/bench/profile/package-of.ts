/** Roots of our own code, followed by the folder that names a part of the program. */
const ownPart = /\/((?:apps\/[^/]+\/src\/[^/]+|packages\/[^/]+|sdks\/[^/]+))/;

/**
 * Returns the group of a function in a profile: a module of Node, an npm package, or a folder of our own code. Functions
 * without a file are native, or one of V8's own entries such as "(garbage collector)".
 */
export function packageOf(functionName: string, url: string): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "native functions";
  if (url.startsWith("node:")) return `node:${nodeModule(url.slice("node:".length))}`;
  const packages = url.split("/node_modules/");
  if (packages.length > 1) return npmPackage(packages.at(-1) ?? "");
  if (url.startsWith("wasm:")) return "WebAssembly";
  return ownPart.exec(url)?.[1]?.replace(/\.[jt]s$/, "") ?? url.slice(url.lastIndexOf("/") + 1);
}

/** Returns the public part of Node to which a file belongs, such as `http` for `_http_server`. */
function nodeModule(path: string): string {
  const first = path.replace(/^internal\//, "").split("/", 1)[0] ?? "";
  if (first.startsWith("_http")) return "http";
  if (first.startsWith("_stream") || first.startsWith("stream") || first === "js_stream_socket") return "stream";
  if (first.startsWith("_tls") || first === "tls") return "tls";
  return first;
}

function npmPackage(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
