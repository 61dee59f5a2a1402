import { expectDocumented } from './documented-answers.js';

export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The parsed JSON body; null where there is none. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
}

interface Credentials {
  bearer?: string;
  apiKey?: string;
}

interface RequestOptions extends Credentials {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Speaks to the service over real HTTP, from an address of its own, so that one test's limit is not another's. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    readonly address: string,
    private readonly credentials: Credentials = {},
  ) {}

  /** The same caller, who from now on presents these with every request. */
  as(credentials: Credentials): ApiClient {
    return new ApiClient(this.baseUrl, this.address, { ...this.credentials, ...credentials });
  }

  get(path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(path, { ...options, method: 'GET' });
  }

  post(path: string, body?: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(path, { ...options, method: 'POST', body });
  }

  put(path: string, body?: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(path, { ...options, method: 'PUT', body });
  }

  patch(path: string, body?: unknown, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(path, { ...options, method: 'PATCH', body });
  }

  delete(path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(path, { ...options, method: 'DELETE' });
  }

  /** The answer as it comes, for files and streams: once its headers are there, and not held against the document. */
  open(path: string, options: RequestOptions = {}): Promise<Response> {
    const { method = 'GET', body, bearer, apiKey, headers = {}, signal } = { ...this.credentials, ...options };
    return fetch(this.baseUrl + path, {
      method,
      signal,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': this.address,
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(apiKey ? { 'x-api-key': apiKey } : {}),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body),
    });
  }

  async request(path: string, options: RequestOptions): Promise<ApiResponse> {
    const response = await this.open(path, options);
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    const { status, headers: received } = response;
    const answer = { status, headers: received, text, body: isJson && text ? JSON.parse(text) : null };
    expectDocumented(options.method ?? 'GET', path, answer);
    return answer;
  }
}

let lastAddress = 0;

/** Another client's address, from the range that is set aside for benchmarks (RFC 2544). */
export function nextAddress(): string {
  lastAddress += 1;
  return `198.18.${Math.floor(lastAddress / 250) % 256}.${(lastAddress % 250) + 1}`;
}
