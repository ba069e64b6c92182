/** Exports of `@tollgate/sdk`: both clients. Training has a separate entry point, so that web pages never load it. */

export * from "./gateway.ts";
export * from "./platform.ts";
