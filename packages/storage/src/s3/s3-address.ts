/** The bucket and how it is addressed. */
export interface S3Bucket {
  readonly bucket: string;
  readonly region: string;
  /** Base URL of the service; null for Amazon's in the region. */
  readonly endpoint: string | null;
  /** Whether the bucket is the first part of the path or of the host name. */
  readonly addressing: "path" | "host";
  /** Prefix of all keys, empty or with a slash at its end. */
  readonly prefix: string;
}

/** Returns the URL of a bucket, without a slash at its end. Throws if there is no such host name. */
export function bucketUrlOf({ bucket, region, endpoint, addressing }: S3Bucket): URL {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  url.pathname = url.pathname.replace(/\/+$/, "");
  if (addressing === "path") {
    url.pathname = `${url.pathname.replace(/^\/$/, "")}/${bucket}`;
    return url;
  }
  const hostname = `${bucket}.${url.hostname}`;
  url.hostname = hostname;
  // A URL silently keeps its host if the new one is not valid, such as a name below an IP address.
  if (url.hostname !== hostname.toLowerCase()) {
    throw new TypeError("a bucket can be addressed by a host only if the endpoint has a host name, not an IP address");
  }
  return url;
}
