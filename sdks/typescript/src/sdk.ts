/** Exports of `@tollgate/sdk`: both clients. Training is separate, so that web pages never load it. */

export * from "./gateway.ts";
export * from "./platform.ts";
