import { ApiProperty } from '@nestjs/swagger';
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';
import { IsEmailAddress, IsPersonName, IsUsername, UserDto } from '../../users/index.js';

export class RegisterDto {
  @IsPersonName('Lovelace')
  last_name: string;

  @IsPersonName('Ada')
  first_name: string;

  @IsUsername()
  username: string;

  @IsEmailAddress()
  email: string;

  @IsNewPassword()
  password: string;

  @IsConfirmationOf('password')
  password_confirmation: string;
}

export class RegisteredDto {
  @ApiProperty()
  user: UserDto;

  @ApiProperty({ example: true, description: 'Whether the mail with the OTP is stored and will be sent' })
  otp_sent: boolean;
}
