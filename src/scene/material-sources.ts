/**
 * Where the numbers of the named materials (materials.ts) come from. Apart from them, so that pages that run scenes do not load it (1.2 kB,
 * compressed).
 */

/** Name of a preset → the sources of its numbers. */
export const materialSources: Readonly<Record<string, string>> = {
  paper:
    "Young's modulus of machine-made paper of some GPa at 0.1 mm: Alava and Niskanen, The physics of paper, Rep. Prog. Phys. 69 (2006) 669; E = 5 GPa taken, D and K_m follow",
  silk: "bending rigidity B = 0.04 gf·cm²/cm, within the range of thin dress fabrics: Kawabata, The Standardization and Analysis of Hand Evaluation, 2nd ed., Textile Machinery Society of Japan (1980); 111 fabrics under 80 g/m² have medians of 1.8 to 2.6 µN·m: Feng et al., Learning-Based Bending Stiffness Parameter Estimation by a Drape Tester, ACM Trans. Graph. 41(6) (2022)",
  cotton:
    "B = 0.1 gf·cm²/cm, cotton shirting: Kawabata (1980), as silk; 63 fabrics of 120 to 160 g/m² have medians of 6.6 (weft) to 11.9 µN·m (warp): Feng et al. (2022), as silk",
  denim:
    "11oz Black Denim: Wang, O'Brien and Ramamoorthi, Data-driven elastic models for cloth, ACM Trans. Graph. 30(4) (2011): 64.2 (warp), 73.4 (bias) and 97.0 µN·m (weft), which act as four times D on a cantilever; D = 16, 18 and 24 µN·m, of which 20 is taken",
  leather:
    "tanned leather, modulus of tens of MPa at small strain and 0.8 to 0.9 g/cm³: Attenburrow, The rheology of leather, J. Soc. Leather Technol. Chem. 77 (1993) 107; E = 30 MPa taken",
  film: "oriented PET film, E = 5 GPa, 1390 kg/m³, ν = 0.38: DuPont Teijin Films, Mylar polyester film, physical-thermal properties",
  "rubberised-fabric":
    "coated polyester fabrics of this weight, tensile stiffness of some hundred kN/m: Forster and Mollaert (eds.), European Design Guide for Tensile Surface Structures, TensiNet (2004); D between that of the cloth alone and that of the cloth and coating bonded rigidly",
  skin: "E = 0.42 MPa below 30 years of age, by torsion in vivo: Agache, Monneur, Leveque and De Rigal, Mechanical properties and Young's modulus of human skin in vivo, Arch. Dermatol. Res. 269 (1980) 221; density 1.1 g/cm³",
};
