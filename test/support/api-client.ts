export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The parsed JSON body; null where there is none. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
}

interface RequestOptions {
  method?: string;
  body?: unknown;
  bearer?: string;
  apiKey?: string;
  headers?: Record<string, string>;
}

/** Speaks to the service over real HTTP, from an address of its own, so that one test's limit is not another's. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    readonly address: string,
  ) {}

  get(path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(path, { ...options, method: 'GET' });
  }

  post(path: string, body?: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(path, { ...options, method: 'POST', body });
  }

  async request(
    path: string,
    { method = 'GET', body, bearer, apiKey, headers = {} }: RequestOptions,
  ): Promise<ApiResponse> {
    const response = await fetch(this.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': this.address,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(apiKey ? { 'x-api-key': apiKey } : {}),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : null };
  }
}

let lastAddress = 0;

/** Another client's address, from the range that is set aside for benchmarks (RFC 2544). */
export function nextAddress(): string {
  lastAddress += 1;
  return `198.18.${Math.floor(lastAddress / 250) % 256}.${(lastAddress % 250) + 1}`;
}
