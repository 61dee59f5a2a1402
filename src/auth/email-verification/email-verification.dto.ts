import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { IsEmailAddress } from '../../users/index.js';

export class VerifyOtpDto {
  @IsEmailAddress()
  email: string;

  @ApiProperty({
    pattern: '^[0-9]{6}$',
    example: '482913',
    description: 'The six digits of the mail, as a string; take out blanks that were typed or pasted with them',
  })
  @Matches(/^[0-9]{6}$/, { message: 'otp must be 6 digits' })
  @IsString({ message: 'otp must be a string' })
  otp: string;
}

export class VerifiedDto {
  @ApiProperty({ example: true })
  verified: boolean;
}

export class ResendOtpDto {
  @IsEmailAddress()
  email: string;
}
