import { expect, test } from "vitest";
import { openScriptedStore } from "./scripted-store.fixture.ts";

const list = (content: string) => `<?xml version="1.0"?><ListBucketResult xmlns="urn:s3">${content}</ListBucketResult>`;
const uploads = (content: string) => `<ListMultipartUploadsResult>${content}</ListMultipartUploadsResult>`;
const page = (key: string, next: string) =>
  list(`<Contents><Key>${key}</Key><Size>1</Size></Contents><IsTruncated>true</IsTruncated>${next}`);

async function keysOf(content: AsyncIterable<{ readonly key: string }>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of content) keys.push(key);
  return keys;
}

test.for([
  ["says that it is incomplete, but not how it continues", page("a", "")],
  ["continues where it started", page("a", "<NextContinuationToken>same</NextContinuationToken>")],
  ["is a page of another program", "<html><body>Sign in</body></html>"],
  ["ends in the middle", "<ListBucketResult><IsTruncated>false</IsTruncated>"],
  ["is empty", ""],
] as const)("a list of objects that %s is unavailable, and not complete", async ([, body]) => {
  const { storage } = await openScriptedStore((_, { length }) => ({ body: length > 4 ? list("") : body }));
  await expect(keysOf(storage.list(""))).rejects.toMatchObject({ kind: "unavailable" });
});

test.for([
  ["says that it is incomplete, but not how it continues", uploads("<IsTruncated>true</IsTruncated>")],
  [
    "continues where it started",
    uploads(
      "<IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>",
    ),
  ],
  ["is a page of another program", "<html><body>Sign in</body></html>"],
] as const)("a list of uploads that %s is unavailable, and not complete", async ([, body]) => {
  const { storage } = await openScriptedStore((_, { length }) => ({ body: length > 4 ? uploads("") : body }));
  await expect(storage.deleteAbandonedWrites(new Date())).rejects.toMatchObject({ kind: "unavailable" });
});

test("objects and uploads next to the prefix are neither listed nor deleted, even if the store ignores the prefix", async () => {
  const upload = (key: string) =>
    `<Upload><Key>${key}</Key><UploadId>1</UploadId><Initiated>2020-01-01T00:00:00Z</Initiated></Upload>`;
  const keys = ["other/report", "team/own", "team-2/report"];
  const { storage, requests } = await openScriptedStore(
    ({ url = "" }) => ({
      body: url.includes("uploads=")
        ? uploads(keys.map(upload).join(""))
        : list(keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join("")),
    }),
    "team/",
  );
  expect(await keysOf(storage.list(""))).toEqual(["own"]);
  expect(await storage.deleteAbandonedWrites(new Date())).toBe(1);
  expect(requests.filter((request) => request.startsWith("DELETE"))).toEqual(["DELETE /logs/team/own?uploadId=1"]);
});
