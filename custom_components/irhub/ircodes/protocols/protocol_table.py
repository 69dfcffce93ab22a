"""The table of infrared protocols: a line of IRP each, and its source.

A row has the name (in irdb and Girr), the label, and the source; `written` marks a row that only
writes, because another row reads its signals or too many other signals would fit. The IRP line
follows, indented. A signal that several rows fit is read by the first of them. If several rows have
the same name, the first that accepts the values is used. The table is parsed on first use, not at
Home Assistant's start; lines that the parser does not support are rejected then.

    JP1     hifi-remote.com/wiki, DecodeIR, under the protocol's name
    Flipper Flipper's documentation of .ir files, and its protocols' lengths
    ESPHome esphome.io/components/remote_transmitter, and what its decoder expects
    LIRC    the infrared decoders of the Linux kernel (rc-core)

Protocols without a carrier (Barco, Jerrold, Archer, Revox) are missing: a hub always transmits with
a carrier.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
import re
from typing import Final

from .irp import Irp
from .irp_notation import NotationError, parse

_ONE_BYTE: Final = 0xFF
_ROWS: Final = """
NEC1 | NEC | JP1
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:8,1,^108m,(16,-4,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255]
NEC2 | NEC | JP1 | written
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:8,1,^108m)+[D:0..255,S:0..255=255-D,F:0..255]
Apple | Apple | JP1
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,C:1,F:7,PairID:8,1,^108m,(16,-4,1,^108m)*)
    {C=~(#D+#F+#PairID)&1}
    [D:224..238=238,S:135..135=135,F:0..127,PairID:0..255=0]
Tivo | Tivo | JP1
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,U:4,~F:4:4,1,^108m,(16,-4,1,^108m)*)
    [D:133..133=133,S:48..48=48,F:0..255,U:0..15=0]
NEC1-y1 | NEC | JP1 | written
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:7,F:1:7,1,^108m,(16,-4,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255]
NEC1-y2 | NEC | JP1 | written
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,F:1,~F:7:1,1,^108m,(16,-4,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255]
NEC1-y3 | NEC | JP1 | written
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,F:1,~F:6:1,F:1:7,1,^108m,(16,-4,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255]
NEC1-rnc | NEC | JP1 | written
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:4:4,~F:4,1,^108m,(16,-4,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255]
Roku | NEC | JP1 | written
    {38k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:7,0:1,~F:7,1:1,1,^108m,(16,-8,D:8,S:8,F:7,1:1,~F:7,0:1,1,
    ^108m)*)[D:0..255,S:0..255=255-D,F:0..127]
NEC1-f16 | NEC | JP1
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,E:8,1,^108m,(16,-4,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255,E:0..255]
NEC2-f16 | NEC | JP1 | written
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,E:8,1,^108m)+
    [D:0..255,S:0..255=255-D,F:0..255,E:0..255]
Pioneer | Pioneer | JP1 | written
    {40k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:8,1,-25m)2+[D:0..255,S:0..255=255-D,F:0..255]
48-NEC1 | NEC 48 | JP1
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:8,E:8,~E:8,1,^108m,(16,-4,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255,E:0..255]
48-NEC2 | NEC 48 | JP1 | written
    {38.4k,564}<1,-1|1,-3>(16,-8,D:8,S:8,F:8,~F:8,E:8,~E:8,1,^108m)+
    [D:0..255,S:0..255=255-D,F:0..255,E:0..255]
Dgtec | Dgtec | JP1
    {38k,560}<1,-1|1,-3>(16,-8,D:8,F:8,~F:8,1,^108m,(16,-4,1,^108m)*)[D:0..255,F:0..255]
Kathrein | Kathrein | JP1
    {38k,540}<1,-1|1,-3>(16,-8,D:4,~D:4,F:8,~F:8,1,^105m,(16,-8,F:8,1,^105m)*)[D:0..15,F:0..255]
Aiwa | Aiwa | JP1
    {38k,550}<1,-1|1,-3>(16,-8,D:8,S:5,~D:8,~S:5,F:8,~F:8,1,-42,(16,-8,1,-165)*)
    [D:0..255,S:0..31,F:0..255]
NEC42 | NEC 42 | Flipper | written
    {38k,560}<1,-1|1,-3>(16,-8,D:13,~D:13,F:8,~F:8,1,^108m,(16,-4,1,^108m)*)[D:0..8191,F:0..255]
NEC42ext | NEC 42 | Flipper
    {38k,560}<1,-1|1,-3>(16,-8,D:26,F:16,1,^108m,(16,-4,1,^108m)*)[D:0..67108863,F:0..65535]
JVC | JVC | JP1
    {38k,525}<1,-1|1,-3>(16,-8,(D:8,F:8,1,-45)+)[D:0..255,F:0..255]
Proton | Proton | JP1
    {38.5k,500}<1,-1|1,-3>(16,-8,D:8,1,-8,F:8,1,^63m)+[D:0..255,F:0..255]
Samsung | Samsung | JP1 (NECx2), Flipper
    {38.4k,564}<1,-1|1,-3>(8,-8,D:8,S:8,F:8,~F:8,1,^108m)+[D:0..255,S:0..255=D,F:0..255]
NECx1 | Samsung | JP1
    {38.4k,564}<1,-1|1,-3>(8,-8,D:8,S:8,F:8,~F:8,1,^108m,(8,-8,D:1,1,^108m)*)
    [D:0..255,S:0..255=255-D,F:0..255]
NECx2 | Samsung | JP1 | written
    {38.4k,564}<1,-1|1,-3>(8,-8,D:8,S:8,F:8,~F:8,1,^108m)+[D:0..255,S:0..255=255-D,F:0..255]
NECx-f16 | Samsung | JP1 (NECx2, variant -f16)
    {38.4k,564}<1,-1|1,-3>(8,-8,D:8,S:8,F:8,E:8,1,^108m)+[D:0..255,S:0..255=D,F:0..255,E:0..255]
Samsung20 | Samsung 20 | JP1
    {38.4k,564}<1,-1|1,-3>(8,-8,D:6,S:6,F:8,1,^100m)+[D:0..63,S:0..63,F:0..255]
Samsung36 | Samsung 36 | JP1
    {38k,500}<1,-1|1,-3>(9,-9,D:8,S:8,1,-9,E:4,F:8,~F:8,1,-118)+
    [D:0..255,S:0..255,F:0..255,E:0..15=0]
LG | LG | ESPHome (lg), IRremoteESP8266
    {38k,1,msb}<550,-550|550,-1600>(8500,-4250,D:8,F:16,C:4,550,-55m)+{C=F:4+F:4:4+F:4:8+F:4:12}
    [D:0..255,F:0..65535]
LG2 | LG2 | IRremoteESP8266 (LG2)
    {38k,1,msb}<480,-550|480,-1600>(3200,-9900,D:8,F:16,C:4,480,-55m)+{C=F:4+F:4:4+F:4:8+F:4:12}
    [D:0..255,F:0..65535]
Sony12 | Sony 12 | JP1
    {40k,600}<1,-1|2,-1>(4,-1,F:7,D:5,^45m)3+[D:0..31,F:0..127]
Sony15 | Sony 15 | JP1
    {40k,600}<1,-1|2,-1>(4,-1,F:7,D:8,^45m)3+[D:0..255,F:0..127]
Sony20 | Sony 20 | JP1
    {40k,600}<1,-1|2,-1>(4,-1,F:7,D:5,S:8,^45m)3+[D:0..31,S:0..255,F:0..127]
Sony8 | Sony 8 | JP1 | written
    {40k,600}<1,-1|2,-1>(4,-1,F:8,^22200u)3+[F:0..255]
RC5 | RC-5 | JP1, RC5
    {36k,msb,889}<1,-1|-1,1>(1,~F:1:6,T:1,D:5,F:6,^114m)+[D:0..31,F:0..127,T@:0..1=0]
RC5-7F | RC-5-7F | JP1
    {36k,msb,889}<1,-1|-1,1>(1,~D:1:5,T:1,D:5,F:7,^114m)+[D:0..63,F:0..127,T@:0..1=0]
RC5-7F | RC-5-7F | JP1, as DecodeIR counts D | written
    {36k,msb,889}<1,-1|-1,1>(1,~D:1:6,T:1,D:5,F:7,^114m)+[D:64..95,F:0..127,T@:0..1=0]
StreamZap | StreamZap | JP1 | written
    {36k,msb,889}<1,-1|-1,1>(1,~F:1:6,T:1,D:6,F:6,^114m)+[D:0..63,F:0..127,T@:0..1=0]
RC5x | RC-5x | JP1
    {36k,msb,889}<1,-1|-1,1>(1,~S:1:6,T:1,D:5,-4,S:6,F:6,^114m)+
    [D:0..31,S:0..127,F:0..63,T@:0..1=0]
RC6 | RC-6 | JP1
    {36k,444,msb}<-1,1|1,-1>(6,-2,1:1,0:3,<-2,2|2,-2>(T:1),D:8,F:8,^107m)+
    [D:0..255,F:0..255,T@:0..1=0]
MCE | MCE | JP1
    {36k,444,msb}<-1,1|1,-1>(6,-2,1:1,6:3,-2,2,O:8,S:8,T:1,D:7,F:8,^107m)+
    [D:0..127,S:0..255,F:0..255,O:128..128=128,T@:0..1=0]
RC6-6-32 | RC-6-6-32 | JP1
    {36k,444,msb}<-1,1|1,-1>(6,-2,1:1,6:3,<-2,2|2,-2>(T:1),D:8,S:8,E:8,F:8,^107m)+
    [D:0..255,S:0..255,E:0..255,F:0..255,T@:0..1=0]
RC6-6-20 | RC-6-6-20 | JP1
    {36k,444,msb}<-1,1|1,-1>(6,-2,1:1,6:3,<-2,2|2,-2>(T:1),D:8,S:4,F:8,^107m)+
    [D:0..255,S:0..15,F:0..255,T@:0..1=0]
Replay | RC-6-6-24 | JP1
    {36k,444,msb}<-1,1|1,-1>(6,-2,1:1,6:3,<-2,2|2,-2>(T:1),D:8,S:8,F:8,-100m)+
    [D:0..255,S:0..255,F:0..255,T@:0..1=0]
Panasonic | Panasonic | JP1
    {37k,432}<1,-1|1,-3>(8,-4,2:8,32:8,D:8,S:8,F:8,(D^S^F):8,1,-173)+[D:0..255,S:0..255,F:0..255]
Denon-K | Denon-K | JP1
    {37k,432}<1,-1|1,-3>(8,-4,84:8,50:8,0:4,D:4,S:4,F:12,((D*16)^S^(F*16)^(F:8:4)):8,1,-173)+
    [D:0..15,S:0..15,F:0..4095]
JVC-48 | JVC 48 | JP1
    {37k,432}<1,-1|1,-3>(8,-4,3:8,1:8,D:8,S:8,F:8,(D^S^F):8,1,-173)+[D:0..255,S:0..255,F:0..255]
Fujitsu | Fujitsu | JP1
    {37k,432}<1,-1|1,-3>(8,-4,20:8,99:8,0:4,E:4,D:8,S:8,F:8,1,-110)+
    [D:0..255,S:0..255=D,F:0..255,E:0..15=0]
Mitsubishi-K | Mitsubishi-K | JP1
    {37k,432}<1,-1|1,-3>(8,-4,35:8,203:8,X:4,D:8,S:8,F:8,T:4,1,-100)+
    [D:0..255,S:0..255,F:0..255,X:0..15=6,T:0..15=(15-S-S:4:4-F-F:4:4)&15]
SharpDVD | Sharp DVD | JP1
    {38k,400}<1,-1|1,-3>(8,-4,170:8,90:8,15:4,D:4,S:8,F:8,1:4,C:4,1,-48)+
    {C=D^S:4^S:4:4^F:4^F:4:4^1}[D:0..15,S:0..255,F:0..255]
Teac-K | Teac-K | JP1
    {37k,432}<1,-1|1,-3>(8,-4,67:8,83:8,X:4,D:4,S:8,F:8,(D+S:4+S:4:4+F:4+F:4:4):8,1,-100,(8,-8,1,
    -100)*)[D:0..15,S:0..255,F:0..255,X:0..15=1]
Kaseikyo | Kaseikyo | JP1
    {37k,432}<1,-1|1,-3>(8,-4,M:8,N:8,X:4,D:4,S:8,F:8,G:8,1,-173)+{X=M:4^M:4:4^N:4^N:4:4}
    [D:0..15,S:0..255,F:0..255,G:0..255=(D*16+X)^S^F,M:0..255,N:0..255]
Panasonic2 | Panasonic 2 | JP1
    {37k,432}<1,-1|1,-3>(8,-4,2:8,32:8,D:8,S:8,X:8,F:8,(D^S^X^F):8,1,-173)+
    [D:0..255,S:0..255,X:0..255=0,F:0..255]
Fujitsu-56 | Fujitsu 56 | JP1
    {37k,432}<1,-1|1,-3>(8,-4,20:8,99:8,0:4,E:4,D:8,S:8,X:8,F:8,1,-110)+
    [D:0..255,S:0..255=D,X:0..255=0,F:0..255,E:0..15=0]
Kaseikyo56 | Kaseikyo 56 | JP1
    {37k,432}<1,-1|1,-3>(8,-4,M:8,N:8,X:4,D:4,S:8,E:8,F:8,G:8,1,-173)+{X=M:4^M:4:4^N:4^N:4:4}
    [D:0..15,S:0..255,E:0..255=0,F:0..255,G:0..255=(D*16+X)^S^E^F,M:0..255,N:0..255]
Fujitsu_Aircon | Fujitsu AC | remotecentral.com, thread 4894 | written
    {38.4k,413}<1,-1|1,-3>(8,-4,20:8,99:8,0:8,16:8,16:8,254:8,9:8,48:8,wOn:4,A:4,B:4,C:4,D:4,E:4,
    tOff:11,fOff:1,tOn:11,fOn:1,32:8,H:8,1,-104.3m)+{H=-(16*A+wOn+16*C+B+16*E+D+tOff:8+(tOff:3:8+
    fOff*8+16*tOn:4)+(tOn:7:4+128*fOn)+80)}[A:0..15,B:0..15,C:0..15,D:0..15,E:0..15,wOn:0..1=0,
    tOff:0..1024=0,fOff:0..1=0,tOn:0..1024=0,fOn:0..1=0]
Denon | Denon | JP1
    {38k,264}<1,-3|1,-7>(D:5,F:8,0:2,1,-165,D:5,~F:8,3:2,1,-165)+[D:0..31,F:0..255]
Sharp | Sharp | JP1
    {38k,264}<1,-3|1,-7>(D:5,F:8,1:2,1,-165,D:5,~F:8,2:2,1,-165)+[D:0..31,F:0..255]
Denon{1} | Denon | JP1
    {38k,264}<1,-3|1,-7>(D:5,F:8,0:2,1,-165)+[D:0..31,F:0..255]
Denon{2} | Denon | JP1
    {38k,264}<1,-3|1,-7>(D:5,~F:8,3:2,1,-165)+[D:0..31,F:0..255]
Sharp{1} | Sharp | JP1
    {38k,264}<1,-3|1,-7>(D:5,F:8,1:2,1,-165)+[D:0..31,F:0..255]
Sharp{2} | Sharp | JP1
    {38k,264}<1,-3|1,-7>(D:5,~F:8,2:2,1,-165)+[D:0..31,F:0..255]
RCA | RCA | JP1
    {58k,460,msb}<1,-2|1,-4>(8,-8,D:4,F:8,~D:4,~F:8,1,-16)+[D:0..15,F:0..255]
RCA-38 | RCA | JP1 | written
    {38.7k,460,msb}<1,-2|1,-4>(8,-8,D:4,F:8,~D:4,~F:8,1,-16)+[D:0..15,F:0..255]
RCA(Old) | RCA old | JP1
    {58k,460,msb}<1,-2|1,-4>(32,(8,-8,D:4,F:8,~D:4,~F:8,2,-16)+)[D:0..15,F:0..255]
RCA-38(Old) | RCA old | JP1 | written
    {38.7k,460,msb}<1,-2|1,-4>(32,(8,-8,D:4,F:8,~D:4,~F:8,2,-16)+)[D:0..15,F:0..255]
DirecTV | DirecTV | JP1
    {38k,600,msb}<1,-1|1,-2|2,-1|2,-2>(5,(5,-2,D:4,F:8,C:4,1,-50)+){C=7*F:2:6+5*F:2:4+3*F:2:2+
    F:2}[D:0..15,F:0..255]
Dish_Network | Dish Network | JP1
    {57.6k,400}<1,-7|1,-4>(1,-15,(F:-6,S:5,D:5,1,-15)3+)[D:0..31,S:0..31,F:0..63]
Dishplayer | Dishplayer | JP1
    {38.4k,535,msb}<1,-5|1,-3>(1,-11,(F:6,S:5,D:2,1,-11)3+)[D:0..3,S:0..31,F:0..63]
G.I.Cable | GI Cable | JP1
    {38.7k,490}<1,-4.5|1,-9>(18,-9,F:8,D:4,C:4,1,-84,(18,-4.5,1,-178)*){C=-(D+F:4+F:4:4)}
    [D:0..15,F:0..255]
G.I.4DTV | GI 4DTV | JP1 (GI 4DTV) | written
    {37.3k,992}<1,-1|1,-3>(5,-2,F:6,D:2,A:1,B:1,C:1,E:1,1,-60)+{A=D:1:2+#(F&25)+#(D&1),B=D:1:2+
    #(F&43)+#(D&3),C=D:1:2+#(F&22)+#(D&3),E=D:1:2+#(F&44)+#(D&2)}[D:0..7,F:0..63]
Panasonic_Old | Panasonic old | JP1
    {57.6k,833}<1,-1|1,-3>(4,-4,D:5,F:6,~D:5,~F:6,1,-44m)+[D:0..31,F:0..63]
Emerson | Emerson | JP1
    {36.7k,872}<1,-1|1,-3>(4,-4,D:6,F:6,~D:6,~F:6,1,-39)+[D:0..63,F:0..63]
ScAtl-6 | Scientific Atlanta | JP1 | written
    {57.6k,846}<1,-1|1,-3>(4,-4,D:6,F:6,~D:6,~F:6,1,-40)+[D:0..63,F:0..63]
Sampo | Sampo | JP1
    {38.4k,833}<1,-1|1,-3>(4,-4,D:6,F:6,S:6,~F:6,1,-39)+[D:0..63,S:0..63,F:0..63]
Mitsubishi | Mitsubishi | JP1
    {32.6k,300}<1,-3|1,-7>(D:8,F:8,1,-80)+[D:0..255,F:0..255]
JVC{2} | JVC | JP1
    {38k,525}<1,-1|1,-3>(D:8,F:8,1,-45)+[D:0..255,F:0..255]
Akai | Akai | JP1 | written
    {38k,289}<1,-2.6|1,-6.3>(D:3,F:7,1,^25.3m)3+[D:0..7,F:0..127]
Matsui | Matsui | JP1 | written
    {38k,525}<1,-1|1,-3>(D:3,F:7,1,^30.5m)3+[D:0..7,F:0..127]
Konka | Konka | JP1
    {38k,500,msb}<1,-3|1,-5>(6,-6,D:8,F:8,1,-8,1,-46)+[D:0..255,F:0..255]
Logitech | Logitech | JP1
    {38k,127}<3,-4|3,-8>(31,-36,D:4,~D:4,F:8,~F:8,3,-50m)+[D:0..15,F:0..255]
Bose | Bose | JP1
    {38k,500,msb}<1,-1|1,-3>(2,-3,F:8,~F:8,1,-50m)+[F:0..255]
Anthem | Anthem | JP1
    {38k,605}<1,-1|1,-3>(8000u,-4000u,D:8,S:8,F:8,(~(D+S+F+255)):8,1,-25m)3+
    [D:0..255,S:0..255,F:0..255]
Lumagen | Lumagen | JP1 | written
    {38.4k,416,msb}<1,-6|1,-12>(D:4,C:1,F:7,1,-26)3+{C=(#F+1)&1}[D:0..15,F:0..127]
RECS80 | RECS80 | JP1
    {38k,158,msb}<1,-31|1,-47>(1:1,T:1,D:3,F:6,1,-45m)+[D:0..7,F:0..63,T@:0..1=0]
GXB | GXB | JP1 | written
    {38.3k,520,msb}<1,-3|3,-1>(1,-1,D:4,F:8,P:1,1,^100m)+{P=(#F+1)&1}[D:0..15,F:0..255]
Velleman | Velleman | JP1
    {38k,msb}<700,-5060|700,-7590>(1:1,T:1,D:3,F:6,700,-55m)+[D:0..7,F:0..63,T@:0..1=0]
Thomson | Thomson | JP1 | written
    {33k,500}<1,-4|1,-9>(D:4,T:1,D:1:4,F:6,1,^80m)+[D:0..31,F:0..63,T@:0..1=0]
Thomson7 | Thomson | JP1
    {33k,500}<1,-4|1,-9>(D:4,T:1,F:7,1,^80m)+[D:0..15,F:0..127,T@:0..1=0]
PaceMSS | Pace MSS | JP1
    {38k,630,msb}<1,-7|1,-11>(1,-5,1,-5,T:1,D:1,F:8,1,^120m)+[D:0..1,F:0..255,T@:0..1=0]
Grundig16 | Grundig | JP1
    {35.7k,578,msb}<-4,2|-3,1,-1,1|-2,1,-2,1|-1,1,-3,1>(806u,-2960u,1346u,T:1,F:8,D:7,-100)+
    [D:0..127,F:0..255,T@:0..1=0]
Grundig16-30 | Grundig | JP1 | written
    {30.3k,578,msb}<-4,2|-3,1,-1,1|-2,1,-2,1|-1,1,-3,1>(806u,-2960u,1346u,T:1,F:8,D:7,-100)+
    [D:0..127,F:0..255,T@:0..1=0]
NRC17 | NRC17 | JP1
    {38k,500}<-1,1|1,-1>(1,-5,1:1,254:8,255:8,-28,(1,-5,1:1,F:8,D:8,-220)+,1,-5,1:1,254:8,255:8,
    -200)[D:0..255,F:0..255]
NRC17 | NRC17 | JP1, D in two halves | written
    {38k,500}<-1,1|1,-1>(1,-5,1:1,254:8,255:8,-28,(1,-5,1:1,F:8,D:4,S:4,-220)+,
    1,-5,1:1,254:8,255:8,-200)[D:0..15,S:0..15,F:0..255]
NRC16 | NRC16 | JP1
    {38k,500}<-1,1|1,-1>(1,-5,1:1,254:8,127:7,-15m,(1,-5,1:1,F:8,D:7,-110m)+,1,-5,1:1,254:8,127:7,
    -15m)[D:0..127,F:0..255]
Blaupunkt | Blaupunkt | JP1
    {30.3k,512}<-1,1|1,-1>(1,-5,1023:10,-44,(1,-5,1:1,F:6,D:3,-236)+,1,-5,1023:10,-44)
    [D:0..7,F:0..63]
Nokia | Nokia | JP1
    {36k,msb}<164,-276|164,-445|164,-614|164,-783>(412,-276,D:8,S:8,F:8,164,^100m)+
    [D:0..255,S:0..255,F:0..255]
Nokia12 | Nokia 12 | JP1
    {36k,msb}<164,-276|164,-445|164,-614|164,-783>(412,-276,D:4,F:8,164,^100m)+[D:0..15,F:0..255]
Nokia32 | Nokia 32 | JP1
    {36k,msb}<164,-276|164,-445|164,-614|164,-783>(412,-276,D:8,S:8,T:1,X:7,F:8,164,^100m)+
    [D:0..255,S:0..255,F:0..255,X:0..127,T@:0..1=0]
F12 | F12 | JP1
    {37.9k,422}<1,-3|3,-1>(D:3,S:1,F:8,-80,D:3,S:1,F:8,-208)+[D:0..7,S:0..1=F:1^F:1:1,F:0..255]
F32 | F32 | JP1
    {37.9k,422,msb}<1,-3|3,-1>(D:8,S:8,F:8,E:8,-100m)+[D:0..255,S:0..255,F:0..255,E:0..255]
CanalSat | CanalSat | JP1
    {55.5k,250,msb}<-1,1|1,-1>([T=0][T=1],1,-1,D:7,S:6,T:1,0:1,F:7,-89m)+
    [D:0..127,S:0..63,F:0..127]
CanalSatLD | CanalSat LD | JP1
    {56k,320,msb}<-1,1|1,-1>([T=0][T=1],1,-1,D:7,S:6,T:1,0:1,F:6,~F:1,-85m)+
    [D:0..127,S:0..63,F:0..63]
OrtekMCE | Ortek MCE | JP1
    {38.6k,480}<1,-1|-1,1>([P=0][P=1][P=2],4,-1,D:5,P:2,F:6,C:4,-48m)+{C=3+#D+#P+#F}
    [D:0..31,F:0..63]
Zaptor-36 | Zaptor | JP1 (Zaptor)
    {36.6k,330,msb}<-1,1|1,-1>([T=0][T=0][T=1],8,-6,2,D:8,T:1,S:7,F:8,E:4,C:4,-74m)+{C=(D:4+D:4:4+
    S:4+S:3:4+8*T+F:4+F:4:4+E)&15}[D:0..255,S:0..127,F:0..127,E:0..15=0]
Zaptor-56 | Zaptor | JP1 (Zaptor) | written
    {56k,330,msb}<-1,1|1,-1>([T=0][T=0][T=1],8,-6,2,D:8,T:1,S:7,F:8,E:4,C:4,-74m)+{C=(D:4+D:4:4+
    S:4+S:3:4+8*T+F:4+F:4:4+E)&15}[D:0..255,S:0..127,F:0..127,E:0..15=0]
TDC-38 | TDC | JP1
    {38k,315,msb}<-1,1|1,-1>(1,-1,D:5,S:5,F:7,-89m)+[D:0..31,S:0..31,F:0..127]
XMP | XMP | JP1, LIRC
    {38k,136,msb}<210u,-760u|210u,-896u|210u,-1032u|210u,-1168u|210u,-1304u|210u,-1440u|210u,
    -1576u|210u,-1712u|210u,-1848u|210u,-1984u|210u,-2120u|210u,-2256u|210u,-2392u|210u,-2528u|
    210u,-2664u|210u,-2800u>([T=0][T=8],S:4:4,C1:4,S:4,15:4,OEM:8,D:8,210u,-13.8m,S:4:4,C2:4,T:4,
    S:4,F:16,210u,-80.4m)+{C1=-(S:4+S:4:4+15+OEM:4+OEM:4:4+D:4+D:4:4),C2=-(S:4+S:4:4+T+F:4+F:4:4+
    F:4:8+F:4:12)}[D:0..255,S:0..255=0,F:0..65535,OEM:0..255=68]
XMP-1 | XMP | JP1 | written
    {38k,136,msb}<210u,-760u|210u,-896u|210u,-1032u|210u,-1168u|210u,-1304u|210u,-1440u|210u,
    -1576u|210u,-1712u|210u,-1848u|210u,-1984u|210u,-2120u|210u,-2256u|210u,-2392u|210u,-2528u|
    210u,-2664u|210u,-2800u>([T=0][T=8],S:4:4,C1:4,S:4,15:4,OEM:8,D:8,210u,-13.8m,S:4:4,C2:4,T:4,
    S:4,F:8,0:8,210u,-80.4m)+{C1=-(S:4+S:4:4+15+OEM:4+OEM:4:4+D:4+D:4:4),C2=-(S:4+S:4:4+T+F:4+F:4:4+
    F:4:8+F:4:12)}[D:0..255,S:0..255=0,F:0..255,OEM:0..255=68]
XMP-2 | XMP | JP1 | written
    {38k,136,msb}<210u,-760u|210u,-896u|210u,-1032u|210u,-1168u|210u,-1304u|210u,-1440u|210u,
    -1576u|210u,-1712u|210u,-1848u|210u,-1984u|210u,-2120u|210u,-2256u|210u,-2392u|210u,-2528u|
    210u,-2664u|210u,-2800u>([T=0][T=8],S:4:4,C1:4,S:4,15:4,OEM:8,D:8,210u,-13.8m,S:4:4,C2:4,T:4,
    S:4,0:8,F:8,210u,-80.4m)+{C1=-(S:4+S:4:4+15+OEM:4+OEM:4:4+D:4+D:4:4),C2=-(S:4+S:4:4+T+F:4+F:4:4+
    F:4:8+F:4:12)}[D:0..255,S:0..255=0,F:0..255,OEM:0..255=68]
Zenith | Zenith | JP1
    {40k,520,msb}<1,-10|1,-1,1,-8>(S:1,<1,-10,1,-1,1,-8|1,-1,1,-8,1,-10>(F:5),-90m)+
    [D:5..5=5,S:0..1,F:0..31]
Zenith | Zenith | JP1
    {40k,520,msb}<1,-10|1,-1,1,-8>(S:1,<1,-10,1,-1,1,-8|1,-1,1,-8,1,-10>(F:6),-90m)+
    [D:6..6=6,S:0..1,F:0..63]
Zenith | Zenith | JP1
    {40k,520,msb}<1,-10|1,-1,1,-8>(S:1,<1,-10,1,-1,1,-8|1,-1,1,-8,1,-10>(F:7),-90m)+
    [D:7..7=7,S:0..1,F:0..127]
Zenith | Zenith | JP1
    {40k,520,msb}<1,-10|1,-1,1,-8>(S:1,<1,-10,1,-1,1,-8|1,-1,1,-8,1,-10>(F:8),-90m)+
    [D:8..8=8,S:0..1,F:0..255]
"""


@dataclass(frozen=True, kw_only=True)
class ProtocolRow:
    """A row of the table."""

    name: str
    """Name in irdb and Girr."""
    label: str
    """Name for display: "NEC"."""
    source: str
    irp: Irp
    reads: bool
    """Whether it reads signals; False if another row reads them, or too many would fit."""

    def values(self, address: int, command: int) -> dict[str, int]:
        """Return the parameters for an address and a command.

        D takes the lower bits of the address, S the others; F and E share the command. An address
        without bits beyond D leaves S at its default, if it has one.
        """
        parameters = self.irp.parameters
        values = {"D": address, "F": command}
        if "S" in parameters:
            width = parameters["D"].highest.bit_length()
            values["D"], subdevice = address & (1 << width) - 1, address >> width
            if subdevice or parameters["S"].default is None or "E" in parameters:
                values["S"] = subdevice
        if "E" in parameters and parameters["E"].default is None:
            values["F"], values["E"] = command & _ONE_BYTE, command >> 8
        return {name: value for name, value in values.items() if name in parameters or value}

    def numbers(self, values: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        """Return parameters as named numbers: address, command, then others, without toggles."""
        parameters = self.irp.parameters
        others = {
            name: value
            for name, value in values.items()
            if name in parameters and not parameters[name].toggle
        }
        address, numbers = others.pop("D", None), []
        if address is not None:
            address |= others.pop("S", 0) << parameters["D"].highest.bit_length()
            numbers.append(("address", address))
        if "F" in others:
            numbers.append(("command", others.pop("F")))
        return (*numbers, *((name.lower(), value) for name, value in sorted(others.items())))


_ALIASES: Final[Mapping[str, tuple[str, Mapping[str, int]]]] = {
    "nec": ("nec1", {}),
    "samsung32": ("samsung", {}),
    "necx": ("necx2", {}),
    "directvp3": ("directv", {}),
    "rc6624": ("replay", {}),
    "recs800045": ("recs80", {}),
    "zaptor": ("zaptor36", {}),
    **{f"tivounit{unit}": ("tivo", {"U": unit}) for unit in range(16)},
}
"""Other name → the row's name, and the values that it implies."""


def simple(name: str) -> str:
    """Return a name in the form that is compared: "G.I.Cable" and "gicable" are equal."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def rows_of(name: str) -> tuple[tuple[ProtocolRow, ...], Mapping[str, int]]:
    """Return the rows with a name, and the values that the name implies; no rows if unknown."""
    row, values = _ALIASES.get(simple(name), (simple(name), {}))
    return _by_name().get(row, ()), values


@cache
def table() -> tuple[ProtocolRow, ...]:
    """Return all rows, in the order in which they are tried.

    The first call parses them, which takes tens of milliseconds. An event loop that decodes
    packets lets another thread do that before.
    """
    return tuple(_rows())


@cache
def _by_name() -> Mapping[str, tuple[ProtocolRow, ...]]:
    rows: dict[str, tuple[ProtocolRow, ...]] = {}
    for row in table():
        name = simple(row.name)
        rows[name] = (*rows.get(name, ()), row)
    return rows


def _rows() -> Iterator[ProtocolRow]:
    for row in re.split(r"\n(?! )", _ROWS.strip()):
        head, *lines = row.split("\n")
        name, label, source, *written = head.split(" | ")
        try:
            irp = parse("".join(lines))
        except NotationError as err:
            raise NotationError(f"{name}: {err}") from err
        yield ProtocolRow(name=name, label=label, source=source, irp=irp, reads=not written)
