import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@tollgate/testkit/needs.ts";
import { FolderStorage } from "./folder/folder-storage.ts";
import { S3Storage } from "./s3/s3-storage.ts";
import type { ObjectStorage } from "./storage.ts";
import { hasVersitygw, type S3Server, startS3Server } from "./versitygw.fixture.ts";

/** A way to store objects, and what it needs. */
interface Adapter {
  readonly name: string;
  readonly options: { readonly skip?: boolean };
  open(): Promise<{ readonly storage: ObjectStorage; stop(): Promise<void> }>;
}

const openFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), "storage-"));
  return { storage: new FolderStorage(folder), stop: () => rm(folder, { recursive: true }) };
};

const openS3 = (choose: (server: S3Server) => S3Server["options"]) => async () => {
  const server = await startS3Server();
  const storage = new S3Storage(choose(server));
  return {
    storage,
    stop: async () => {
      storage.close();
      await server.stop();
    },
  };
};

export const needsVersitygw = needs("versitygw", hasVersitygw);

/** All ways to store objects. Tests of the port run over each of them. */
export const adapters: readonly Adapter[] = [
  { name: "folder", options: {}, open: openFolder },
  { name: "S3, path style", options: needsVersitygw, open: openS3(({ options }) => options) },
  { name: "S3, virtual-host style", options: needsVersitygw, open: openS3(({ hostOptions }) => hostOptions) },
  {
    name: "S3 with a prefix",
    options: needsVersitygw,
    open: openS3(({ options }) => ({ ...options, prefix: "team/tollgate/" })),
  },
];
