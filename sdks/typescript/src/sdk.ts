/** What `@tollgate/sdk` gives: both clients. Training is apart, so that a page never loads it. */

export * from "./gateway.ts";
export * from "./platform.ts";
