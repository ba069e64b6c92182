import { expect, test } from "vitest";
import { bucketUrlOf } from "./s3-address.ts";

test.for(["http://127.0.0.1:9000", "http://[::1]:9000"])(
  "refuses to address a bucket by a host below the IP address %s, which would leave out the bucket",
  (endpoint) => {
    const bucket = { bucket: "logs", region: "eu-west-1", prefix: "", endpoint };
    expect(() => bucketUrlOf({ ...bucket, addressing: "host" })).toThrow(TypeError);
    expect(bucketUrlOf({ ...bucket, addressing: "path" }).href).toBe(`${endpoint}/logs`);
  },
);
