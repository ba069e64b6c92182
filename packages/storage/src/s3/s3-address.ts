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

/** Returns the URL of a bucket, without a slash at its end. */
export function bucketUrlOf({ bucket, region, endpoint, addressing }: S3Bucket): URL {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  url.pathname = url.pathname.replace(/\/+$/, "");
  if (addressing === "host") url.hostname = `${bucket}.${url.hostname}`;
  else url.pathname = `${url.pathname.replace(/^\/$/, "")}/${bucket}`;
  return url;
}
